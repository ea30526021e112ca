import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { optionNames } from '../../../src/monitoring/monitor-options/definitions.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createMonitor, expectError, type MonitorBody, smallest } from '../../support/monitors.ts'
import { bodyOf, type Client, startTestServer, type TestServer } from '../../support/server.ts'
import { startHttpTarget } from '../../support/targets.ts'

const pathOf = (option: string): string => option.replace('legacyAddress', 'legacy-address')

const env = { PHAROS_PRIVATE_TARGETS: 'allow', PHAROS_PRIVATE_WEBHOOKS: 'allow', PHAROS_CONFIRM_DELAYS: '0,0' }

async function put(client: Client, id: string, name: string, body: object): Promise<MonitorBody> {
  return bodyOf(await client.send('PUT', `/monitors/${id}/${pathOf(name)}`, body))
}

async function storedRow({ running }: TestServer, id: string) {
  const [row] = await running.database.read(execute(q.selectFrom('monitors').selectAll().where('id', '=', id)))
  return row
}

const assertion = { source: 'STATUS', operator: 'EQUALS', value: 200 }
const basic = { type: 'BASIC', username: 'ada', password: 'planted-password' }

forEachEngine('options of a monitor', (engine) => {
  let server: TestServer
  before(async () => {
    server = await startTestServer(engine, { env })
    const hook = { url: 'https://127.0.0.1:9/', eventTypes: ['monitor.updated'] }
    assert.equal((await server.client().post('/webhook-endpoints', hook)).status, 201)
  })
  after(() => server.stop())

  test('have defaults, are replaced and removed, and each change is an event', async () => {
    const client = server.client()
    const { id } = await createMonitor(client)
    const defaults = {
      assertions: { assertions: [] },
      request: {},
      dialogue: { transport: null },
      schedule: { cron: null, timezone: null, nextRuns: [] },
      confirmation: { failureRetries: 2, retryDelaysSeconds: [0, 0], recoverySuccesses: 1 },
      notes: {},
      legacyAddress: { tool: null, token: null, bearer: null },
    }
    for (const name of optionNames) {
      assert.deepEqual((await client.get(`/monitors/${id}/${pathOf(name)}`)).body, defaults[name], name)
      const removed = await client.delete(`/monitors/${id}/${pathOf(name)}`)
      assert.deepEqual([removed.status, removed.body], [200, defaults[name]])
    }
    assert.equal((await storedRow(server, id))?.options, null)
    const shown = await put(client, id, 'assertions', { assertions: [assertion] })
    assert.deepEqual(shown, { assertions: [{ ...assertion, severity: 'DOWN' }] })
    assert.deepEqual(await put(client, id, 'assertions', { assertions: [assertion] }), shown)
    await put(client, id, 'notes', { text: 'Call Ada' })
    assert.deepEqual((await client.get(`/monitors/${id}/assertions`)).body, shown)
    await client.delete(`/monitors/${id}/assertions`)
    assert.deepEqual((await client.get(`/monitors/${id}/assertions`)).body, defaults.assertions)
    assert.deepEqual((await client.get(`/monitors/${id}/notes`)).body, { text: 'Call Ada' })
    const rows = await server.running.database.read(
      execute(q.selectFrom('events').select('body').where('body', 'like', `%${id}%`).orderBy('id')),
    )
    const changed = rows.map(({ body }) => JSON.parse(body).data.changed)
    assert.deepEqual(changed, [['assertions'], ['notes'], ['assertions']])
    const { data } = (await client.get('/audit-log?limit=3')).body
    assert.ok(JSON.stringify(data).includes('removeMonitorAssertions'), JSON.stringify(data))
  })

  test('survive PATCH, pause and resume; a new type removes what does not fit', async () => {
    const client = server.client()
    const { id } = await createMonitor(client)
    await put(client, id, 'request', { auth: basic })
    await put(client, id, 'assertions', { assertions: [assertion] })
    await put(client, id, 'notes', { text: 'Call Ada' })
    await client.patch(`/monitors/${id}`, { name: 'Renamed', requestHeaders: { 'x-key': 'planted-header' } })
    await client.post(`/monitors/${id}/pause`, {})
    await client.post(`/monitors/${id}/resume`, {})
    const request = { auth: { ...basic, password: 'set' } }
    assert.deepEqual((await client.get(`/monitors/${id}/request`)).body, request)
    const monitor = (await client.get(`/monitors/${id}`)).body
    assert.deepEqual(monitor.requestHeaders, { 'x-key': 'planted-header' })
    assert.ok(!('options' in monitor))
    await client.patch(`/monitors/${id}`, { type: 'DNS' })
    assert.deepEqual((await client.get(`/monitors/${id}/request`)).body, {})
    assert.deepEqual((await client.get(`/monitors/${id}/assertions`)).body, { assertions: [] })
    assert.deepEqual((await client.get(`/monitors/${id}/notes`)).body, { text: 'Call Ada' })
  })

  test('keep their secrets sealed, and a secret sent as it is shown stays', async () => {
    await using target = await startHttpTarget()
    const client = server.client()
    const { id } = await createMonitor(client, smallest('HTTP', { url: target.url }))
    const auth = {
      type: 'OAUTH2_CLIENT_CREDENTIALS',
      tokenUrl: 'https://login.example/token',
      clientId: 'me',
      clientSecret: 'planted-secret',
    }
    const proxyUrl = 'http://user:planted-proxy@127.0.0.1:8080'
    const shown = await put(client, id, 'request', { auth, proxyUrl })
    assert.deepEqual(shown, { auth: { ...auth, clientSecret: 'set' }, proxyUrl: 'http://***@127.0.0.1:8080' })
    const stored = await storedRow(server, id)
    assert.doesNotMatch(JSON.stringify(stored), /planted/)
    assert.deepEqual(await put(client, id, 'request', { ...shown, maxRedirects: 3 }), { ...shown, maxRedirects: 3 })
    assert.notEqual((await storedRow(server, id))?.secrets, stored?.secrets)
    const moved = {
      auth: { ...shown.auth, tokenUrl: 'https://evil.example/token' },
      proxyUrl: 'http://***@evil.example',
    }
    const refused = await client.send('PUT', `/monitors/${id}/request`, moved)
    expectError(refused, 'validation_error', ['auth.clientSecret', 'proxyUrl'])
    await client.delete(`/monitors/${id}/request`)
    const unknown = await client.send('PUT', `/monitors/${id}/request`, shown)
    expectError(unknown, 'validation_error', ['auth.clientSecret', 'proxyUrl'])
    const events = await server.running.database.read(execute(q.selectFrom('events').select('body')))
    assert.doesNotMatch(JSON.stringify(events), /planted/)
  })
})
