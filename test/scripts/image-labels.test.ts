import assert from 'node:assert/strict'
import { test } from 'node:test'
import { imageLabels } from '../../scripts/packages/image-labels.ts'

const of = (name: string) => `org.opencontainers.image.${name}`

test('the labels of the image are those of package.json', () => {
  const origin = {
    description: 'Uptime monitoring',
    license: 'MIT',
    repository: { url: 'git+https://git.example/pharos.git' },
  }
  assert.deepEqual(imageLabels(origin, '1.2.3', 'abc'), {
    [of('title')]: 'Pharos',
    [of('description')]: 'Uptime monitoring',
    [of('version')]: '1.2.3',
    [of('revision')]: 'abc',
    [of('licenses')]: 'MIT',
    [of('source')]: 'https://git.example/pharos',
    [of('url')]: 'https://git.example/pharos',
    [of('documentation')]: 'https://git.example/pharos#readme',
  })
})

test('a homepage precedes the repository, and what is unknown has no label', () => {
  const homepage = 'https://pharos.example'
  const labels = imageLabels(
    { homepage, repository: 'https://git.example/pharos', license: 'UNLICENSED' },
    '1.2.3',
    undefined,
  )
  assert.equal(labels[of('source')], 'https://git.example/pharos')
  assert.deepEqual([labels[of('url')], labels[of('documentation')]], [homepage, homepage])
  assert.equal(labels[of('licenses')], 'LicenseRef-Proprietary')
  assert.deepEqual(Object.keys(imageLabels({}, '1.2.3', undefined)), [of('title'), of('version')])
})
