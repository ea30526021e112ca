import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { operationAt } from '../../../src/cli/api/document.ts'
import { useApi } from '../../support/api.ts'
import { emptyDataDir } from '../../support/sqlite.ts'
import { root } from './document-tools.ts'

const client = join(root, 'clients/typescript/src/index.ts')

const valid = [
  `pharos.contacts.create({ name: 'A', channel: 'SLACK', settings: { webhookUrl: 'https://a.example/' } })`,
  `pharos.contacts.create({ name: 'A', channel: 'NTFY', settings: { topic: 'ops', priority: 4 }, kinds: ['OPENED'] })`,
  `pharos.contacts.update('con_1', { settings: { topic: 'ops', token: null } })`,
  `pharos.contacts.update('con_1', { name: 'B' })`,
]
const invalid = [
  `pharos.contacts.create({ name: 'A', channel: 'SLACK', settings: { nope: 1 } })`,
  `pharos.contacts.create({ name: 'A', channel: 'EMAIL', settings: {} })`,
  `pharos.contacts.create({ name: 'A', channel: 'EMAIL', settings: { webhookUrl: 'https://a.example/' } })`,
  `pharos.contacts.create({ name: 'A', channel: 'FAX', settings: {} })`,
  `pharos.contacts.create({ name: 'A', channel: 'SLACK' })`,
  `pharos.contacts.update('con_1', { settings: { nope: 1 } })`,
  `pharos.contacts.update('con_1', { settings: { topic: 7 } })`,
]

test('the types of the client know the settings of each channel', () => {
  const folder = join(emptyDataDir(), 'types')
  mkdirSync(folder, { recursive: true })
  const start = `import { Pharos } from ${JSON.stringify(client)}\ndeclare const pharos: Pharos\n`
  const lines = [...valid, ...invalid]
  writeFileSync(join(folder, 'calls.ts'), start + lines.join('\n'))
  const options = ['--strict', '--noEmit', '--skipLibCheck', '--target', 'esnext', '--module', 'nodenext']
  const tsc = join(dirname(fileURLToPath(import.meta.resolve('typescript/package.json'))), 'bin/tsc')
  const args = [tsc, '--pretty', 'false', ...options, '--allowImportingTsExtensions', '--types', 'node', 'calls.ts']
  const { stdout } = spawnSync(process.execPath, [...args, '--typeRoots', join(root, 'node_modules/@types')], {
    cwd: folder,
    encoding: 'utf8',
  })
  assert.doesNotMatch(stdout, /^(?!calls\.ts\(|\s)./m, stdout)
  const wrong = new Set([...stdout.matchAll(/^calls\.ts\((\d+),/gm)].map(([, line]) => Number(line) - 3))
  assert.deepEqual(
    lines.filter((_, i) => wrong.has(i)),
    invalid,
  )
})

const url = 'https://hooks.example/a'
const [name, settings] = ['A', { webhookUrl: url }]

/** What the server accepts, and otherwise the paths of its faults. */
const creations: readonly [body: object, faults?: readonly string[]][] = [
  [{ name, channel: 'SLACK', settings }],
  [{ name, channel: 'DISCORD', settings, kinds: ['OPENED'], covers: 'CHOSEN', enabled: false }],
  [{ name, channel: 'NTFY', settings: { topic: 'ops' }, covers: 'LABELS', selector: 'team=a' }],
  [{ name, channel: 'SLACK', settings: { nope: 1 } }, ['settings.webhookUrl', 'settings.nope']],
  [{ name, channel: 'SLACK', settings: {} }, ['settings.webhookUrl']],
  [{ name, channel: 'SLACK', settings: { webhookUrl: 'set' } }, ['settings.webhookUrl']],
  [{ name, channel: 'PAGERDUTY', settings }, ['settings.routingKey', 'settings.webhookUrl']],
  [{ name, channel: 'FAX', settings }, ['channel']],
  [{ name, settings }, ['channel']],
  [{ name, channel: 'SLACK' }, ['settings']],
  [{ name, channel: 'SLACK', settings, colour: 'red' }, ['colour']],
  [{ name, channel: 'SLACK', settings, covers: 'LABELS' }, ['selector']],
]
const updates: readonly [body: object, faults?: readonly string[]][] = [
  [{ name: 'B' }],
  [{ settings: {} }],
  [{ settings: { webhookUrl: 'set' } }],
  [{ settings }],
  [{ settings: { nope: 1 } }, ['settings.nope']],
  [{ settings: { webhookUrl: 7 } }, ['settings.webhookUrl']],
  [{ settings: [] }, ['settings']],
]

const api = useApi('sqlite')

test('the server validates contacts as before, and the document agrees', async () => {
  const { client } = await api.tenant()
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  const documented = (method: string, path: string) => ajv.compile(operationAt(method, path).body() ?? {})
  const [create, update] = [documented('POST', '/contacts'), documented('PATCH', '/contacts/{contactId}')]
  const pathsOf = ({ error }: { error?: { details: { path: string }[] } }) => error?.details.map(({ path }) => path)
  for (const [body, faults] of creations) {
    const answer = await client.post('/contacts', body)
    assert.deepEqual([answer.status, pathsOf(answer.body)], [faults === undefined ? 201 : 400, faults])
    assert.equal(create(body), faults === undefined, JSON.stringify(body))
  }
  const { id } = (await client.post('/contacts', { name, channel: 'SLACK', settings })).body
  for (const [body, faults] of updates) {
    const answer = await client.patch(`/contacts/${id}`, body)
    assert.deepEqual([answer.status, pathsOf(answer.body)], [faults === undefined ? 200 : 400, faults])
    assert.equal(update(body), faults === undefined, JSON.stringify(body))
  }
})
