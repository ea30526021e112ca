import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Api, useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createMonitor, expectError } from '../../support/monitors.ts'
import {
  createDelivery,
  createEndpoint,
  currentEndpoint,
  endpointRow,
  RECEIVER,
  sentEvents,
  setEndpoint,
  untouchedBy,
  withoutSecret,
} from '../../support/webhooks.ts'

/** Patches that break rules beyond the schema. */
const bad: readonly (readonly [patch: object, paths: readonly string[]])[] = [
  [{ url: 'http://hooks.example/' }, ['url']],
  [{ url: 'https://127.0.0.1/' }, ['url']],
  [{ url: 'https://u:p@hooks.example/' }, ['url']],
  [{ eventTypes: ['*', 'webhook.test'] }, ['eventTypes']],
  [{ eventTypes: ['webhook.test', 'webhook.test'] }, ['eventTypes']],
  [{ disabledReason: null, secret: 'x' }, ['disabledReason', 'secret']],
  [{ url: '', enabled: null, eventTypes: null }, ['enabled', 'eventTypes', 'url']],
]

forEachEngine('PATCH /webhook-endpoints/{endpointId}', (engine) => {
  const clock = new HandClock()
  const api = useApi(engine, { clock })
  values(api, clock)
  switching(api, clock)
})

function values(api: Api, clock: HandClock): void {
  test('each field changes alone, and several together', async () => {
    const { client } = await api.tenant()
    for (const patch of [
      { url: 'https://other.example/hook' },
      { description: 'New' },
      { description: null },
      { eventTypes: ['incident.opened', 'incident.resolved'] },
      { enabled: false },
      { url: 'https://other.example/', description: '', eventTypes: ['*'], enabled: false },
    ]) {
      const before = await createEndpoint(client, { description: 'Old', eventTypes: ['monitor.paused'] })
      clock.advance(1_000)
      const { body } = await client.patch(`/webhook-endpoints/${before.id}`, patch)
      const updatedAt = new Date(clock.now()).toISOString()
      assert.deepEqual(body, { ...withoutSecret(before), ...patch, updatedAt })
      assert.deepEqual(await currentEndpoint(client, before.id), body)
    }
  })

  test('the URL as readers see it keeps the stored one', async () => {
    const { client } = await api.tenant()
    const before = withoutSecret(await createEndpoint(client, { url: 'https://hooks.example/services/T0001/secret' }))
    const patch = { url: 'https://hooks.example/…cret' }
    assert.deepEqual((await client.patch(`/webhook-endpoints/${before.id}`, patch)).body, before)
  })

  test('an empty patch and one with present values return the endpoint unchanged', async () => {
    const { client } = await api.tenant()
    const before = withoutSecret(await createEndpoint(client, { eventTypes: ['monitor.paused', 'monitor.resumed'] }))
    clock.advance(1_000)
    const { url, description, eventTypes, enabled } = before
    for (const patch of [{}, { url, description, eventTypes, enabled }]) {
      assert.deepEqual((await client.patch(`/webhook-endpoints/${before.id}`, patch)).body, before)
    }
  })

  test('new event types apply to later events only', async () => {
    const { client } = await api.tenant()
    const { id } = await createEndpoint(client, { eventTypes: ['monitor.paused'] })
    const monitor = await createMonitor(client)
    await client.patch(`/webhook-endpoints/${id}`, { eventTypes: ['monitor.created'] })
    assert.deepEqual(await sentEvents(client), [])
    await client.post(`/monitors/${monitor.id}/pause`, {})
    const second = await createMonitor(client)
    const sent = await sentEvents(client)
    assert.deepEqual(
      sent.map(({ type, data }) => [type, data.id]),
      [['monitor.created', second.id]],
    )
  })
}

describe('faults of PATCH /webhook-endpoints/{endpointId}', () => {
  const api = useApi('sqlite')

  test('are 400 with their paths, and nothing changes', async () => {
    const { client } = await api.tenant()
    const { id } = await createEndpoint(client)
    await untouchedBy(client, async () => {
      for (const [patch, paths] of bad) {
        expectError(await client.patch(`/webhook-endpoints/${id}`, patch), 'validation_error', paths)
      }
    })
  })
})

function switching(api: Api, clock: HandClock): void {
  for (const reason of ['GONE', 'FAILING'] as const) {
    test(`enabling an endpoint that was disabled as ${reason} clears the reason and the record of failures`, async () => {
      const { client } = await api.tenant()
      const { id } = await createEndpoint(client)
      const failing = { enabled: 0, disabled_reason: reason, failing_since: clock.now() - 1 }
      await setEndpoint(api.server, id, failing)
      assert.partialDeepStrictEqual(await currentEndpoint(client, id), { enabled: false, disabledReason: reason })
      const renamed = await client.patch(`/webhook-endpoints/${id}`, { description: 'x' })
      assert.partialDeepStrictEqual(renamed.body, { enabled: false, disabledReason: reason })
      const answer = await client.patch(`/webhook-endpoints/${id}`, { enabled: true })
      assert.partialDeepStrictEqual(answer.body, { enabled: true, disabledReason: null })
      assert.equal((await endpointRow(api.server, id)).failing_since, null)
    })
  }

  test('enabling an enabled endpoint that fails clears the record of failures too', async () => {
    const { client } = await api.tenant()
    const { id } = await createEndpoint(client)
    await setEndpoint(api.server, id, { failing_since: 1 })
    await client.patch(`/webhook-endpoints/${id}`, { enabled: true })
    assert.equal((await endpointRow(api.server, id)).failing_since, null)
  })

  test('enabling or disabling an endpoint makes it due at once, unless it is claimed', async () => {
    const { client } = await api.tenant()
    const { id } = await createEndpoint(client)
    for (const enabled of [false, true]) {
      await setEndpoint(api.server, id, { due_at: null })
      await client.patch(`/webhook-endpoints/${id}`, { enabled })
      assert.equal((await endpointRow(api.server, id)).due_at, clock.now())
    }
    await setEndpoint(api.server, id, { due_at: 5, claimed_by: 'node' })
    await client.patch(`/webhook-endpoints/${id}`, { enabled: false })
    assert.equal((await endpointRow(api.server, id)).due_at, 5)
  })

  test('a disabled endpoint gets no events, and gets them again once it is enabled', async () => {
    const { client } = await api.tenant()
    const { id } = await createEndpoint(client, { enabled: false })
    const monitor = await createMonitor(client)
    await client.patch(`/webhook-endpoints/${id}`, { enabled: true })
    await client.post(`/monitors/${monitor.id}/pause`, {})
    assert.deepEqual(
      (await sentEvents(client)).map(({ type }) => type),
      ['monitor.paused'],
    )
  })

  test('pending deliveries of an endpoint stay in the list when its URL changes', async () => {
    const { client } = await api.tenant()
    const { id } = await createEndpoint(client)
    const waiting = await createDelivery(client, id)
    await client.patch(`/webhook-endpoints/${id}`, { url: `${RECEIVER}/2` })
    const { data } = (await client.get('/webhook-deliveries')).body
    assert.deepEqual(
      data.map((delivery: { id: string }) => delivery.id),
      [waiting.id],
    )
  })
}
