import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR_MS } from '../../../src/lib/clock.ts'
import { releaseMutedAlerts } from '../../../src/notifications/contacts/muted-alerts.ts'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { expectError } from '../../support/monitors.ts'
import { startTestServer } from '../../support/server.ts'
import { startHttpTarget } from '../../support/targets.ts'
import { addHook, quickTiming } from './alerting.ts'
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
