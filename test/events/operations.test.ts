import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Api, type Tenant, useApi } from '../support/api.ts'
import { HandClock } from '../support/clock.ts'
import { forEachEngine } from '../support/engines.ts'
import { createMonitor, current, elaborate, expectError, type MonitorBody, smallest } from '../support/monitors.ts'
import { setSubscription } from '../support/tables.ts'
import { startHttpTarget } from '../support/targets.ts'
import { type Body, createEndpoint, sentEvents } from '../support/webhooks.ts'

const userEvents = [
  'monitor.created',
  'monitor.updated',
  'monitor.deleted',
  'monitor.paused',
  'monitor.resumed',
  'incident.acknowledged',
]

/** An organization with an endpoint that subscribes to events of users. */
async function subscribed(api: Api): Promise<Tenant & { events(): Promise<[string, Body][]> }> {
  const tenant = await api.tenant()
  await createEndpoint(tenant.client, { eventTypes: userEvents })
  return {
    ...tenant,
    events: async () => (await sentEvents(tenant.client)).map(({ type, data }) => [type, data]),
  }
}

forEachEngine('events of operations', (engine) => {
  const clock = new HandClock()
  const api = useApi(engine, { clock })
  monitors(api, clock)
  noEvents(api)
  incidents(api)
})

/** Events do not contain the secrets of monitors. */
function masked(monitor: MonitorBody): MonitorBody {
  const { requestHeaders, requestBody } = monitor
  if (requestHeaders === null) return monitor
  assert.deepEqual([requestHeaders, requestBody], [elaborate.requestHeaders, elaborate.requestBody])
  return { ...monitor, requestHeaders: { 'X-Probe': '***', Accept: 'application/json' }, requestBody: '***' }
}

function monitors(api: Api, clock: HandClock): void {
  for (const body of [smallest('CRON'), elaborate]) {
    test(`each event of a ${body.type} monitor contains the monitor as the API returned it, with masked secrets`, async () => {
      const { client, events } = await subscribed(api)
      const created = await createMonitor(client, body)
      clock.advance(1_000)
      const update = { name: 'Umlaut ü "quoted" \\ \u2028', intervalSeconds: 900 }
      const updated = (await client.patch(`/monitors/${created.id}`, update)).body
      const paused = (await client.post(`/monitors/${created.id}/pause`, {})).body
      const resumed = (await client.post(`/monitors/${created.id}/resume`, {})).body
      const last = await current(client, created.id)
      await client.delete(`/monitors/${created.id}`)
      assert.deepEqual(await events(), [
        ['monitor.created', masked(created)],
        ['monitor.updated', { ...masked(updated), changed: ['name', 'intervalSeconds'] }],
        ['monitor.paused', masked(paused)],
        ['monitor.resumed', masked(resumed)],
        ['monitor.deleted', masked(last)],
      ])
    })
  }

  test('an update lists exactly the fields that changed', async () => {
    const { client, events } = await subscribed(api)
    const { id } = await createMonitor(client, elaborate)
    const patch = {
      name: elaborate.name,
      requestHeaders: { Accept: 'text/html' },
      expectedStatus: [200, 418],
      port: null,
    }
    const updated = (await client.patch(`/monitors/${id}`, patch)).body
    const sent = { ...updated, requestBody: '***', changed: ['requestHeaders', 'port'] }
    assert.deepEqual((await events())[1], ['monitor.updated', sent])
  })

  test('a replayed request emits no second event', async () => {
    const { client, events } = await subscribed(api)
    const headers = { 'idempotency-key': 'once' }
    for (let i = 0; i < 3; i += 1) await client.post('/monitors', smallest('HTTP'), headers)
    assert.equal((await events()).length, 1)
  })
}

function noEvents(api: Api): void {
  test('pausing a paused monitor, resuming a running one and an update without changes emit nothing', async () => {
    const { client, events } = await subscribed(api)
    const { id, name } = await createMonitor(client)
    await client.post(`/monitors/${id}/resume`, {})
    await client.patch(`/monitors/${id}`, { name })
    await client.patch(`/monitors/${id}`, {})
    await client.post(`/monitors/${id}/pause`, {})
    await client.post(`/monitors/${id}/pause`, {})
    assert.deepEqual(
      (await events()).map(([type]) => type),
      ['monitor.created', 'monitor.paused'],
    )
  })

  test('a refused request emits nothing', async () => {
    const { client, events, orgId } = await subscribed(api)
    const monitor: MonitorBody = await createMonitor(client, smallest('PORT'))
    expectError(await client.patch(`/monitors/${monitor.id}`, { port: null }), 'validation_error')
    expectError(await client.delete('/monitors/mon_unknown'), 'not_found')
    expectError(await client.post('/monitors', {}), 'validation_error')
    await setSubscription(api.server, orgId, 'inactive')
    expectError(await client.delete(`/monitors/${monitor.id}`), 'subscription_required')
    assert.deepEqual(
      (await events()).map(([type]) => type),
      ['monitor.created'],
    )
  })

  test('events reach only the endpoints of their organization', async () => {
    const [own, other] = [await subscribed(api), await subscribed(api)]
    await createMonitor(other.client)
    assert.deepEqual(await own.events(), [])
    assert.equal((await other.events()).length, 1)
  })
}

function incidents(api: Api): void {
  test('acknowledging an incident emits one event with the incident as the API returned it', async () => {
    await using target = await startHttpTarget()
    target.status = 500
    const { client, events } = await subscribed(api)
    const { id } = await createMonitor(client, smallest('HTTP', { url: target.url }))
    await client.post(`/monitors/${id}/check`, {})
    const [incident] = (await client.get('/incidents')).body.data
    const first = await client.post(`/incidents/${incident.id}/acknowledge`)
    assert.equal(first.status, 200)
    await client.post(`/incidents/${incident.id}/acknowledge`)
    assert.deepEqual((await events()).slice(1), [['incident.acknowledged', first.body]])
  })
}
