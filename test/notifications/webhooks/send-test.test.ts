import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { expectError } from '../../support/monitors.ts'
import {
  asReadersSee,
  createDelivery,
  createEndpoint,
  currentDelivery,
  deliveries,
  endpointRow,
  untouchedBy,
  withoutSecret,
} from '../../support/webhooks.ts'

forEachEngine('POST /webhook-endpoints/{endpointId}/test', (engine) => {
  const clock = new HandClock()
  const api = useApi(engine, { clock, env: { PHAROS_WEBHOOK_SCHEDULE: '0,1,2' } })

  test('a test event is sent to this endpoint alone, whatever it subscribed to', async () => {
    const { client } = await api.tenant()
    const endpoint = await createEndpoint(client, { eventTypes: ['monitor.paused'] })
    await createEndpoint(client)
    const delivery = await createDelivery(client, endpoint.id)
    const now = new Date(clock.now()).toISOString()
    const { id, eventId, ...rest } = delivery
    assert.deepEqual(rest, {
      endpointId: endpoint.id,
      eventType: 'webhook.test',
      status: 'PENDING',
      attemptCount: 0,
      maxAttempts: 3,
      nextAttemptAt: now,
      lastResponseStatus: null,
      createdAt: now,
      completedAt: null,
      payload: { id: eventId, type: 'webhook.test', timestamp: now, data: asReadersSee(withoutSecret(endpoint)) },
      attempts: [],
    })
    assert.deepEqual(await currentDelivery(client, id), delivery)
    assert.equal((await deliveries(client)).length, 1)
    assert.equal((await endpointRow(api.server, endpoint.id)).due_at, clock.now())
  })

  test('every test is a separate event', async () => {
    const { client } = await api.tenant()
    const { id } = await createEndpoint(client)
    const [first, second] = [await createDelivery(client, id), await createDelivery(client, id)]
    assert.notEqual(first.eventId, second.eventId)
    assert.deepEqual(
      (await deliveries(client)).map((delivery) => delivery.id),
      [second.id, first.id],
    )
  })

  test('a disabled endpoint is 409 and nothing is sent', async () => {
    const { client } = await api.tenant()
    const { id } = await createEndpoint(client, { enabled: false })
    const answer = await untouchedBy(client, () => client.post(`/webhook-endpoints/${id}/test`))
    expectError(answer, 'conflict')
    await client.patch(`/webhook-endpoints/${id}`, { enabled: true })
    await createDelivery(client, id)
  })
})
