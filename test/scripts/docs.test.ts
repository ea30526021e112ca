import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../..')
const documents = globSync(['*.md', 'docs/**/*.md', 'bench/*.md', 'clients/*/*.md'], { cwd: root })
const sources = globSync('{src,dashboard/src,clients,scripts,test,bench,bin}/**/*.{ts,tsx,js,css}', { cwd: root })

for (const document of documents.filter((name) => name !== 'CHANGELOG.md')) {
  const text = readFileSync(join(root, document), 'utf8')

  test(`${document}: every source file that it mentions exists`, () => {
    const mentioned = [...text.matchAll(/`([\w./-]+\.(?:ts|tsx|css))`/g)].map(([, path]) => path as string)
    const missing = mentioned.filter((path) => !sources.some((file) => file === path || file.endsWith(`/${path}`)))
    assert.deepEqual(missing, [])
  })

  test(`${document}: every link to another file leads somewhere`, () => {
    const targets = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, target]) => target as string)
    assert.deepEqual(
      targets.filter((target) => !existsSync(join(root, dirname(document), target))),
      [],
    )
  })
}

test('decision records are numbered without gaps', () => {
  const numbers = globSync('docs/decisions/*.md', { cwd: root }).map((file) => Number(/(\d{4})-/.exec(file)?.[1]))
  assert.deepEqual(
    numbers.sort((a, b) => a - b),
    Array.from({ length: numbers.length }, (_, i) => i + 1),
  )
})

/** Everything that tells people which commands to run or which packages to install. */
const texts = [
  ...documents,
  ...globSync('{src,dashboard/src,clients,deploy,scripts}/**/*.{ts,tsx,json,md,yaml,yml,sh,tpl}', { cwd: root }),
].filter((name) => !/node_modules|\/dist\//.test(name))

function mentions(pattern: RegExp): string[] {
  return texts.flatMap((name) =>
    [...readFileSync(join(root, name), 'utf8').matchAll(pattern)].map(([found]) => `${name}: ${found}`),
  )
}

test('nothing tells people to run a package from a registry, where its name may belong to somebody else', () => {
  assert.deepEqual(mentions(/\b(?:npx (?!node\b)|npm exec |npm (?:i|install) (?:-g )?@?pharos)\S+/g), [])
})

test('the name of the client is that of its package everywhere', () => {
  const { name } = JSON.parse(readFileSync(join(root, 'clients/typescript/package.json'), 'utf8'))
  assert.deepEqual(
    mentions(/@[\w-]+\/client\b/g).filter((found) => !found.endsWith(` ${name}`)),
    [],
  )
})
