import assert from 'node:assert/strict'
import { test } from 'node:test'
import { execute, q } from '../../src/storage/query.ts'
import { type Api, useApi } from '../support/api.ts'
import { HandClock } from '../support/clock.ts'
import { forEachEngine } from '../support/engines.ts'
import { startHttpTarget } from '../support/targets.ts'
import { importFromKuma, polled, startKuma } from './support.ts'

const DAY_MS = 86_400_000

forEachEngine('a shadow run', (engine) => {
  const clock = new HandClock()
  const api = useApi(engine, { clock, env: { PHAROS_ROLES: 'api,scheduler' } })

  test('compares the verdicts of both, lists what differs with its evidence, and enables the contacts at its end', async () => {
    await using target = await startHttpTarget()
    await using kuma = await startKuma({ Shop: 1, API: 1, Printer: 1 })
    const { client } = await api.tenant()
    const ids = await importFromKuma(client, ['Shop', 'API', 'Here'], target.url)
    for (const id of ids.values()) assert.equal((await client.post(`/monitors/${id}/check`, {})).status, 200)
    const created = await client.post('/shadow-runs', { tool: 'KUMA', url: kuma.url, key: kuma.key })
    assert.equal(created.status, 201)
    const path = `/shadow-runs/${created.body.id}`
    let { lastPollAt, ...run } = await polled(client, created.body.id, null)
    assert.deepEqual([run.matched, run.unmatchedThere.names, run.unmatchedHere.names], [2, ['Printer'], ['Here']])
    const next = async (ms: number) => {
      clock.advance(ms)
      ;({ lastPollAt, ...run } = await polled(client, created.body.id, lastPollAt))
    }
    const check = (name: string) => client.post(`/monitors/${ids.get(name)}/check`, {})
    // They see one failed check of the shop; then we see an outage of the API that they do not see.
    kuma.states.set('Shop', 0)
    await next(30_000)
    kuma.states.set('Shop', 1)
    await next(30_000)
    target.status = 500
    await check('API')
    for (let i = 0; i < 4; i += 1) await next(100_000)
    target.status = 200
    await check('API')
    await next(30_000)
    const { body } = await client.get(`${path}/disagreements`)
    assert.deepEqual(
      body.data.map((one: { monitor: { name: string }; reason: string }) => [one.monitor.name, one.reason]),
      [
        ['API', 'ONLY_HERE'],
        ['Shop', 'ONE_FAILED_TRY'],
      ],
    )
    const [outage, tryOnly] = body.data
    assert.deepEqual([outage.causeCode, outage.theirs, outage.ours], ['STATUS', 'UP', 'DOWN'])
    assert.equal((await client.get(`/incidents/${outage.incidentId}/evidence`)).status, 200)
    assert.equal(Date.parse(tryOnly.endedAt) - Date.parse(tryOnly.startedAt), 30_000)
    assert.deepEqual(run.counts, { ONLY_HERE: 1, ONE_FAILED_TRY: 1 })
    // 490 s of two monitors were compared.
    assert.equal(Math.round(run.agreement), Math.round(100 * (1 - (330 + 30) / (2 * 490))))
    assert.equal((await client.get(`${path}/disagreements?limit=1&offset=1`)).body.data[0].reason, 'ONE_FAILED_TRY')

    const enabled = async () => (await client.get('/contacts')).body.data[0].enabled
    assert.equal(await enabled(), false)
    assert.deepEqual((await client.post(`${path}/finish`, { enableContacts: true })).body, {
      enabledContacts: 1,
      unmutedMonitors: 0,
    })
    assert.equal(await enabled(), true)
    const ended = (await client.get(path)).body
    assert.ok(ended.endedAt !== null && ended.contactsEnabledAt !== null)
    const rows = await api.server.running.database.read(execute(q.selectFrom('shadow_runs').select('sealed_key')))
    assert.deepEqual(rows, [{ sealed_key: null }])
  })

  test('says what is wrong, notes that the tool was silent, and ends by itself', async () => {
    await using kuma = await startKuma({ Shop: 1 })
    const { client } = await api.tenant()
    await importFromKuma(client, ['Shop'], 'http://127.0.0.1:9/')
    const { body: created } = await client.post('/shadow-runs', { tool: 'KUMA', url: kuma.url, key: 'wrong', days: 1 })
    assert.doesNotMatch(JSON.stringify(created), /wrong/)
    const refused = await polled(client, created.id, null)
    assert.equal(refused.lastError, 'Uptime Kuma does not accept the key.')
    assert.equal((await client.post('/shadow-runs', { tool: 'KUMA', url: kuma.url })).status, 409)
    kuma.key = 'wrong'
    let { lastPollAt } = refused
    const next = async (ms: number) => {
      clock.advance(ms)
      const run = await polled(client, created.id, lastPollAt)
      lastPollAt = run.lastPollAt
      return run
    }
    assert.equal((await next(30_000)).lastError, null)
    kuma.status = 502
    assert.equal((await next(30_000)).lastError, 'Uptime Kuma answered with HTTP 502.')
    assert.deepEqual((await next(30_000)).counts, { NOT_RUNNING: 1 })
    kuma.status = 200
    assert.equal((await next(30_000)).lastError, null)
    const { body } = await client.get(`/shadow-runs/${created.id}/disagreements`)
    assert.deepEqual([body.data[0].monitor, body.data[0].reason, body.data.length], [null, 'NOT_RUNNING', 1])
    assert.notEqual(body.data[0].endedAt, null)
    assert.notEqual((await next(DAY_MS)).endedAt, null)
    // A new one replaces it.
    const second = await client.post('/shadow-runs', { tool: 'KUMA', url: kuma.url, key: 'wrong' })
    assert.deepEqual(
      (await client.get('/shadow-runs')).body.data.map(({ id }: { id: string }) => id),
      [second.body.id],
    )
    assert.equal((await client.delete(`/shadow-runs/${second.body.id}`)).status, 200)
    assert.equal((await client.get(`/shadow-runs/${second.body.id}`)).status, 404)
  })

  testAccess(api)
})

function testAccess(api: Api): void {
  test('needs an address without a password, and a full-access key; other organizations do not see it', async () => {
    const { client, reader } = await api.tenant()
    const pathOf = async (body: object) => (await client.post('/shadow-runs', body)).body.error.details[0].path
    assert.equal(await pathOf({ tool: 'KUMA' }), 'url')
    assert.equal(await pathOf({ tool: 'KUMA', url: 'ftp://kuma.example' }), 'url')
    assert.equal(await pathOf({ tool: 'GATUS', url: 'https://ada:secret@gatus.example' }), 'url')
    assert.equal(await pathOf({ tool: 'UPTIMEROBOT' }), 'key')
    const given = { tool: 'GATUS', url: 'http://127.0.0.1:9/' }
    assert.equal((await (await reader()).post('/shadow-runs', given)).status, 403)
    const { body } = await client.post('/shadow-runs', given)
    const other = (await api.tenant()).client
    for (const path of ['', '/disagreements']) {
      assert.equal((await other.get(`/shadow-runs/${body.id}${path}`)).status, 404)
    }
    assert.equal((await other.post(`/shadow-runs/${body.id}/finish`, { enableContacts: false })).status, 404)
    assert.equal((await other.delete(`/shadow-runs/${body.id}`)).status, 404)
  })
}
