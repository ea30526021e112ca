import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Compile } from 'typebox/schema'
import { parse } from 'yaml'
import { readConfig } from '../../src/server/config/config.ts'
import { unknownVariables } from '../../src/server/config/unknown-variables.ts'
import { findProgram } from '../faults/needs.ts'
import { skipWithout } from '../support/programs.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const { version } = JSON.parse(read('package.json'))

test('compose.yaml starts one node without a profile, and a cluster whose parts fit together', () => {
  const { services, secrets } = parse(read('deploy/compose.yaml'), { merge: true })
  const inProfile = Object.keys(services).filter((name) => services[name].profiles?.includes('cluster'))
  assert.deepEqual(
    Object.keys(services).filter((name) => !inProfile.includes(name)),
    ['pharos'],
  )
  assert.deepEqual(services.proxy.depends_on, ['node1', 'node2', 'node3'])
  for (const name of ['pharos', 'node1', 'node2', 'node3']) {
    const { image, read_only, cap_drop, environment, secrets: used = [] } = services[name]
    assert.equal(image, `\${PHAROS_IMAGE:-pharos:${version}}`, 'the version of package.json')
    assert.deepEqual([read_only, cap_drop], [true, ['ALL']])
    const plain = Object.keys(environment).map((variable) => [variable.replace(/_FILE$/, ''), ''])
    assert.deepEqual(unknownVariables(Object.fromEntries(plain)), [])
    for (const secret of used) assert.ok(secrets[secret], secret)
    readConfig({ PHAROS_TRUST_PROXY: environment.PHAROS_TRUST_PROXY })
  }
  const nodes = /reverse_proxy (.*) \{/.exec(read('deploy/Caddyfile'))?.[1]
  assert.equal(nodes, 'node1:3000 node2:3000 node3:3000')
})

const skip = skipWithout(findProgram('caddy') !== undefined, 'caddy (Debian: caddy)')
test('Caddy accepts the Caddyfile of compose.yaml', { skip }, () => {
  const { status, stderr } = spawnSync(
    findProgram('caddy') ?? '',
    ['adapt', '--config', join(root, 'deploy/Caddyfile'), '--adapter', 'caddyfile'],
    { env: { ...process.env, PHAROS_DOMAIN: 'pharos.example.net' }, encoding: 'utf8' },
  )
  assert.equal(status, 0, stderr)
})

test('the Helm chart has the version of the package, and its schema accepts its own values and no others', () => {
  const chart = parse(read('deploy/helm/pharos/Chart.yaml'))
  assert.deepEqual([chart.version, chart.appVersion], [version, version])
  const values = parse(read('deploy/helm/pharos/values.yaml'))
  const schema = Compile(JSON.parse(read('deploy/helm/pharos/values.schema.json')))
  const baseUrl = 'https://pharos.example.net'
  assert.ok(!schema.Check(values), 'without the public address')
  assert.ok(schema.Check({ ...values, baseUrl }))
  assert.ok(schema.Check({ ...values, baseUrl, existingSecret: 'pharos', env: { PHAROS_RATE_LIMIT: 240 } }))
  for (const wrong of [{ baseUrl: 'pharos.example.net' }, { replicas: 0 }, { replica: 3 }, { service: { port: '80' } }])
    assert.ok(!schema.Check({ ...values, baseUrl, ...wrong }), JSON.stringify(wrong))
})
