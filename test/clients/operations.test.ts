import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Pharos } from '../../clients/typescript/src/index.ts'
import { resources } from '../../clients/typescript/src/resources.ts'
import { operations } from '../../src/server/operations/table.ts'
import { checks } from '../importers/stored-imports/upload.ts'
import { useApi } from '../support/api.ts'
import { closedPort } from '../support/ports.ts'

/** `POST /monitors/{monitorId}/pause` */
const inTable = operations.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`)
const inClient = Object.values(resources).flatMap((methods) =>
  Object.values(methods).map(({ method, path }) => `${method} ${path}`),
)

test('the client has one method for every operation of the server', () => {
  assert.deepEqual(inClient.toSorted(), inTable.toSorted())
})

test('every resource of the table is a property of the client', () => {
  const pharos = new Pharos({ url: 'http://localhost', apiKey: 'phr_x' })
  assert.deepEqual(Object.keys(pharos), Object.keys(resources))
  for (const [name, methods] of Object.entries(resources)) {
    const found: object = pharos[name as keyof typeof resources]
    assert.deepEqual(Object.keys(found), Object.keys(methods))
  }
})

/** test/server/reference/call-samples.test.ts calls every method, and compares its request with that of curl. */
describe('an operation', () => {
  const api = useApi('sqlite')
  const connect = async () => new Pharos({ url: api.server.url, apiKey: (await api.tenant()).key })

  test('of each kind gets the answer of a server, with the declared type', async () => {
    const { monitors, incidents, contacts, configuration, metrics } = await connect()
    const port = await closedPort()
    const { id } = await monitors.create({ name: 'Shop', type: 'PORT', host: '127.0.0.1', port })
    assert.equal((await monitors.update(id, { name: 'Store' })).name, 'Store')
    assert.equal((await monitors.check(id)).state, 'DOWN')
    assert.equal((await monitors.get(id)).state, 'DOWN')
    assert.equal((await monitors.uptime(id, { span: '7d' })).data[0]?.span, '7d')
    assert.equal((await monitors.responseTimes(id)).stepSeconds, 3600)
    assert.equal((await monitors.checks(id, { state: 'DOWN' }).page()).data[0]?.causeCode, 'CONNECT')
    const [incident] = await incidents.list({ status: 'ONGOING' }).toArray()
    assert.equal(incident?.monitor.id, id)
    const note = await incidents.addNote(incident.id, { body: 'Looking' })
    assert.equal((await incidents.updateNote(incident.id, note.id, { body: 'Found' })).body, 'Found')
    assert.equal((await monitors.setLabels(id, { labels: { team: 'payments' } })).labels.team, 'payments')
    assert.match(await metrics.monitors(), /^pharos_monitor_up\{id="mon_/m)
    assert.equal(await monitors.source(id), null)
    assert.equal((await contacts.channels()).data.length, 11)
    assert.equal((await configuration.get()).source, 'default')
    await assert.rejects(monitors.rotateHeartbeatToken(id), { code: 'conflict' })
    assert.deepEqual(await monitors.delete(id), { data: { id } })
  })

  test('with files gets the answer of a server', async () => {
    const { imports } = await connect()
    const { id, counts } = await imports.create(new Blob([checks]), { source: 'healthchecks', files: 'checks.json' })
    assert.equal(counts.mappedWithLosses, 2)
    assert.equal((await imports.list().toArray())[0]?.id, id)
  })

  test('is reached by method and path, with the same answer', async () => {
    const pharos = await connect()
    const created = await pharos.request('POST', '/monitors', { body: { name: 'Job', type: 'CRON' } })
    const params = { monitorId: created.id }
    const read = await pharos.request('GET', '/monitors/{monitorId}', { params })
    assert.deepEqual(read, await pharos.monitors.get(created.id))
    assert.deepEqual(await pharos.send('GET', `/monitors/${created.id}`), read)
    const { pagination } = await pharos.request('GET', '/monitors', { query: { limit: 1 } })
    assert.deepEqual(pagination, { limit: 1, offset: 0, total: 1 })
  })
})
