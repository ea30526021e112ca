import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Api, type Tenant, useApi } from '../support/api.ts'
import { forEachEngine } from '../support/engines.ts'
import { createMonitor, elaborate, expectError, type MonitorBody, smallest } from '../support/monitors.ts'
import { setSubscription } from '../support/tables.ts'
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
  const api = useApi(engine)

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
})
