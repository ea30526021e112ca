import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Api, type Tenant, useApi } from '../support/api.ts'
import { HandClock } from '../support/clock.ts'
import { forEachEngine } from '../support/engines.ts'
import { current, elaborate, expectError, type MonitorBody, made, smallest } from '../support/monitors.ts'
import { setSubscription } from '../support/tables.ts'
import { startHttpTarget } from '../support/targets.ts'
import { type Body, madeEndpoint, toldEvents } from '../support/webhooks.ts'

const byHand = [
  ...['monitor.created', 'monitor.updated', 'monitor.deleted', 'monitor.paused', 'monitor.resumed'],
  'incident.acknowledged',
]

/** An organization whose endpoint hears of what people do. */
async function listening(api: Api): Promise<Tenant & { told(): Promise<[string, Body][]> }> {
  const tenant = await api.tenant()
  await madeEndpoint(tenant.client, { eventTypes: byHand })
  return {
    ...tenant,
    told: async () => (await toldEvents(tenant.client)).map(({ type, data }) => [type, data]),
  }
}

forEachEngine('what the operations tell', (engine) => {
  const clock = new HandClock()
  const api = useApi(engine, { clock })
  monitors(api, clock)
  silence(api)
  incidents(api)
})

function monitors(api: Api, clock: HandClock): void {
  for (const body of [smallest('CRON'), elaborate]) {
    test(`a ${body.type} monitor's life: each event holds the monitor as the API returned it`, async () => {
      const { client, told } = await listening(api)
      const created = await made(client, body)
      clock.advance(1_000)
      const update = { name: 'Umlaut ü "quoted" \\ \u2028', intervalSeconds: 900 }
      const updated = (await client.patch(`/monitors/${created.id}`, update)).body
      const paused = (await client.post(`/monitors/${created.id}/pause`, {})).body
      const resumed = (await client.post(`/monitors/${created.id}/resume`, {})).body
      const last = await current(client, created.id)
      await client.delete(`/monitors/${created.id}`)
      assert.deepEqual(await told(), [
        ['monitor.created', created],
        ['monitor.updated', { ...updated, changed: ['name', 'intervalSeconds'] }],
        ['monitor.paused', paused],
        ['monitor.resumed', resumed],
        ['monitor.deleted', last],
      ])
    })
  }

  test('an update names the fields that have another value, and no others', async () => {
    const { client, told } = await listening(api)
    const { id } = await made(client, elaborate)
    const patch = {
      name: elaborate.name,
      requestHeaders: { Accept: 'text/html' },
      expectedStatus: [200, 418],
      port: null,
    }
    const updated = (await client.patch(`/monitors/${id}`, patch)).body
    assert.deepEqual((await told())[1], ['monitor.updated', { ...updated, changed: ['requestHeaders', 'port'] }])
  })

  test('a replayed request tells nothing a second time', async () => {
    const { client, told } = await listening(api)
    const headers = { 'idempotency-key': 'once' }
    for (let i = 0; i < 3; i += 1) await client.post('/monitors', smallest('HTTP'), headers)
    assert.equal((await told()).length, 1)
  })
}

function silence(api: Api): void {
  test('what changes nothing is not told: a pause of the paused, a resume of the running, an update to the same', async () => {
    const { client, told } = await listening(api)
    const { id, name } = await made(client)
    await client.post(`/monitors/${id}/resume`, {})
    await client.patch(`/monitors/${id}`, { name })
    await client.patch(`/monitors/${id}`, {})
    await client.post(`/monitors/${id}/pause`, {})
    await client.post(`/monitors/${id}/pause`, {})
    assert.deepEqual(
      (await told()).map(([type]) => type),
      ['monitor.created', 'monitor.paused'],
    )
  })

  test('what is refused is not told', async () => {
    const { client, told, orgId } = await listening(api)
    const monitor: MonitorBody = await made(client, smallest('PORT'))
    expectError(await client.patch(`/monitors/${monitor.id}`, { port: null }), 'validation_error')
    expectError(await client.delete('/monitors/mon_unknown'), 'not_found')
    expectError(await client.post('/monitors', {}), 'validation_error')
    await setSubscription(api.server, orgId, 'inactive')
    expectError(await client.delete(`/monitors/${monitor.id}`), 'subscription_required')
    assert.deepEqual(
      (await told()).map(([type]) => type),
      ['monitor.created'],
    )
  })

  test('nobody hears of what another organization does', async () => {
    const [own, other] = [await listening(api), await listening(api)]
    await made(other.client)
    assert.deepEqual(await own.told(), [])
    assert.equal((await other.told()).length, 1)
  })
}

function incidents(api: Api): void {
  test('an acknowledged incident is told once, as the API returned it', async () => {
    await using target = await startHttpTarget()
    target.status = 500
    const { client, told } = await listening(api)
    const { id } = await made(client, smallest('HTTP', { url: target.url }))
    await client.post(`/monitors/${id}/check`, {})
    const [incident] = (await client.get('/incidents')).body.data
    const first = await client.post(`/incidents/${incident.id}/acknowledge`)
    assert.equal(first.status, 200)
    await client.post(`/incidents/${incident.id}/acknowledge`)
    assert.deepEqual((await told()).slice(1), [['incident.acknowledged', first.body]])
  })
}
