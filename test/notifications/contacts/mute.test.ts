import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR_MS, MINUTE_MS } from '../../../src/lib/clock.ts'
import { wakeOverlooked } from '../../../src/notifications/contacts/claim.ts'
import { releaseMutedAlerts } from '../../../src/notifications/contacts/muted-alerts.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { expectError, setLabels } from '../../support/monitors.ts'
import { startTestServer } from '../../support/server.ts'
import { startHttpTarget } from '../../support/targets.ts'
import { addHook, newHookTest, quickTiming } from './alerting.ts'
import { startService } from './service.ts'

const env = { PHAROS_PRIVATE_WEBHOOKS: 'allow', PHAROS_CONFIRM_DELAYS: '' }

/** A monitor that is UP, and a contact that covers it. */
async function scene(engine: Parameters<typeof startTestServer>[0]) {
  const target = await startHttpTarget()
  const service = await startService()
  const server = await startTestServer(engine, { env, alertPace: quickTiming })
  const client = server.client()
  await addHook(server, service.url)
  const settings = { name: 'Shop', type: 'HTTP', url: target.url, expectedStatus: [200] }
  const { id } = (await client.post('/monitors', settings)).body
  const check = async (status: number) => {
    target.status = status
    return (await client.post(`/monitors/${id}/check`, {})).body.state
  }
  assert.equal(await check(200), 'UP')
  return {
    server,
    client,
    service,
    id,
    check,
    /** The alerts of the newest incident, by kind and status. */
    async alerts() {
      const [incident] = (await client.get('/incidents?limit=1')).body.data
      const { data } = (await client.get(`/incidents/${incident.id}/alerts`)).body
      return data.map(({ kind, status }: Record<string, string>) => `${kind} ${status}`)
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await service[Symbol.asyncDispose]()
      await target[Symbol.asyncDispose]()
    },
  }
}

forEachEngine('a muted monitor', (engine) => {
  test('sends no alerts; incidents that end meanwhile send none, and open ones are announced at the end', async () => {
    await using shop = await scene(engine)
    const { client, id, check, service } = shop
    const until = new Date(Date.now() + HOUR_MS).toISOString()
    const muted = await client.send('PUT', `/monitors/${id}/mute`, { until })
    assert.deepEqual([muted.status, muted.body.until, muted.body.mutedBy.type], [200, until, 'API_KEY'])
    assert.deepEqual((await client.get(`/monitors/${id}/mute`)).body, muted.body)
    assert.deepEqual((await client.get('/mutes')).body.data, [{ monitorId: id, name: 'Shop', ...muted.body }])
    await setLabels(client, id, { team: 'shop' })
    for (const [filter, found] of [
      ['q=HO', 1],
      ['q=%25', 0],
      ['q=_hop', 0],
      ['labels=team%3Dshop', 1],
      ['labels=!team', 0],
      ['q=shop&labels=team', 1],
    ] as const)
      assert.equal((await client.get(`/mutes?${filter}`)).body.pagination.total, found, filter)
    expectError(await client.get('/mutes?labels=,'), 'validation_error')
    assert.equal(await check(503), 'DOWN')
    assert.deepEqual(await shop.alerts(), ['OPENED MUTED'])
    assert.equal(await check(200), 'UP')
    await shop.server.running.database.write(() => releaseMutedAlerts(Date.parse(until)))
    assert.deepEqual(await shop.alerts(), ['OPENED MUTED', 'RESOLVED MUTED'])

    assert.equal(await check(503), 'DOWN')
    assert.equal(service.received.length, 0)
    const ended = await client.delete(`/monitors/${id}/mute`)
    assert.deepEqual(ended.body, { until: null, mutedAt: null, mutedBy: null })
    await eventually(async () => assert.equal(service.received.length, 1))
    assert.equal(service.received[0]?.body.alerts[0].kind, 'opened')
    await eventually(async () => assert.deepEqual(await shop.alerts(), ['OPENED SENT']))
    assert.equal(await check(200), 'UP')
    await eventually(async () => assert.equal(service.received.length, 2), 60_000)
  })

  test('that is paused gets no alert at the end; a selection is muted at once', async () => {
    await using shop = await scene(engine)
    const { client, id, check } = shop
    const until = new Date(Date.now() + HOUR_MS).toISOString()
    const bulk = await client.post('/monitors/bulk', { monitorIds: [id], action: 'MUTE', until })
    assert.deepEqual([bulk.status, bulk.body.changed], [200, 1])
    assert.equal(await check(503), 'DOWN')
    await client.post(`/monitors/${id}/pause`, {})
    await shop.server.running.database.write(() => releaseMutedAlerts(Date.parse(until)))
    assert.deepEqual(await shop.alerts(), ['OPENED MUTED'])
    const past = { monitorIds: [id], action: 'MUTE', until: '2020-01-01T00:00:00Z' }
    expectError(await client.post('/monitors/bulk', past), 'validation_error')
    expectError(await client.post('/monitors/bulk', { monitorIds: [id], action: 'MUTE' }), 'validation_error')
    assert.equal((await client.post('/monitors/bulk', { monitorIds: [id], action: 'UNMUTE' })).body.changed, 1)
    assert.equal((await client.get('/mutes')).body.pagination.total, 0)
  })
})

forEachEngine('alerts that were queued before a mute', (engine) => {
  test('are not sent while it lasts, also those of a monitor that flaps; then only what is still true is announced', async () => {
    await using stage = await mutingTest(engine)
    const { service, shop } = stage
    for (const incidentId of ['inc_1', 'inc_2', 'inc_3']) {
      await stage.alert({ ...shop, incidentId })
      await stage.deliver()
      await stage.alert({ ...shop, incidentId, kind: 'resolved' })
      await stage.deliver()
    }
    const before = service.received.length
    await stage.alert({ ...shop, incidentId: 'inc_4' })
    await stage.alert({ ...shop, incidentId: 'inc_4', kind: 'resolved' })
    await stage.alert({ ...shop, incidentId: 'inc_5' })
    await stage.deliver()
    assert.equal(service.received.length, before, 'they wait because the monitor flaps')
    const until = await stage.mute(HOUR_MS)
    await stage.advance(10 * MINUTE_MS)
    assert.equal(service.received.length, before)
    const waiting = q.selectFrom('alerts').select('muted_until').where('settled_at', 'is', null)
    for (const row of await stage.database.read(execute(waiting))) assert.equal(row.muted_until, until)
    await stage.endMute(until)
    assert.deepEqual(
      service.received.slice(before).map(({ body }) => body.alerts.map(kindAndIncident)),
      [['opened inc_5']],
    )
  })

  test('wait when their message failed: the others of that message are sent again without them', async () => {
    await using stage = await mutingTest(engine)
    const { service, shop } = stage
    const other = await stage.monitor()
    service.replies.push({ status: 500 })
    await stage.alert({ ...shop, incidentId: 'inc_1' })
    await stage.alert({ ...other, incidentId: 'inc_2' })
    await stage.deliver()
    assert.equal(service.received.length, 1)
    const until = await stage.mute(HOUR_MS)
    await stage.advance(MINUTE_MS)
    await stage.endMute(until)
    const messages = service.received.map(({ body }) => body.alerts.map(kindAndIncident))
    assert.deepEqual(messages, [['opened inc_1', 'opened inc_2'], ['opened inc_2'], ['opened inc_1']])
    const [, again, released] = service.received.map(({ body }) => body.id)
    assert.notEqual(released, again)
  })

  test('about the end of an outage that was announced are sent after it', async () => {
    await using stage = await mutingTest(engine)
    const { service, shop } = stage
    await stage.alert({ ...shop, incidentId: 'inc_1' })
    await stage.deliver()
    await stage.alert({ ...shop, incidentId: 'inc_1', kind: 'resolved' })
    const until = await stage.mute(HOUR_MS)
    await stage.advance(MINUTE_MS)
    assert.equal(service.received.length, 1)
    await stage.endMute(until)
    assert.deepEqual(service.received[1]?.body.alerts.map(kindAndIncident), ['resolved inc_1'])
  })

  test('do not appear as still down in messages about other monitors', async () => {
    await using stage = await mutingTest(engine)
    const { service, shop } = stage
    await stage.alert({ ...shop, incidentId: 'inc_1', subject: 'Muted shop' })
    await stage.deliver()
    await stage.mute(HOUR_MS)
    await stage.alert({ ...(await stage.monitor()), incidentId: 'inc_2', subject: 'Blog' })
    await stage.deliver()
    assert.equal(service.received.length, 2)
    assert.match(service.received[1]?.body.title, /^Blog is down$/)
    assert.doesNotMatch(JSON.stringify(service.received[1]?.body), /Muted shop/)
  })
})

function kindAndIncident({ kind, incidentId }: { kind: string; incidentId: string }): string {
  return `${kind} ${incidentId}`
}

/** A webhook contact, and a monitor that can be muted. */
async function mutingTest(engine: Parameters<typeof newHookTest>[0]) {
  const stage = await newHookTest(engine)
  const { database, orgId, clock } = stage
  const shop = await stage.monitor()
  const state = { num: shop.monitorNum, org_id: orgId, state: 'UP', revision: 0, memory: '{}', edition: 0 } as const
  await database.write(() => execute(q.insertInto('monitor_states').values(state)))
  return {
    ...stage,
    shop,
    async mute(ms: number): Promise<number> {
      const until = clock.now() + ms
      const row = { monitor_num: shop.monitorNum, org_id: orgId, until, muted_at: clock.now(), muted_by: '{}' }
      await database.write(() => execute(q.insertInto('monitor_mutes').values(row)))
      return until
    },
    async endMute(until: number): Promise<void> {
      await stage.advance(until - clock.now())
      await database.write(() => releaseMutedAlerts(until))
      await database.write(() => wakeOverlooked(until + MINUTE_MS))
      await stage.deliver()
    },
  }
}
