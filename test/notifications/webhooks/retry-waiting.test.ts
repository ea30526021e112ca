import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { expectError } from '../../support/monitors.ts'
import { startReceiver } from '../../support/receiver.ts'
import { createDelivery, createEndpoint, currentDelivery } from '../../support/webhooks.ts'

/** The third attempt comes an hour after the second. */
const env = { PHAROS_ROLES: 'api,sender', PHAROS_PRIVATE_WEBHOOKS: 'allow', PHAROS_WEBHOOK_SCHEDULE: '0,3600,7200' }

forEachEngine('an endpoint that fails', (engine) => {
  const api = useApi(engine, { env })
  const failing = async (client: Awaited<ReturnType<typeof api.tenant>>['client']) =>
    (await client.get('/webhook-endpoints/failing')).body

  test('is listed with its error and next attempt; a retry is sent at once, and the schedule goes on', async () => {
    await using receiver = await startReceiver((response) => response.writeHead(500).end('no'))
    const { client } = await api.tenant()
    const { id: endpointId } = await createEndpoint(client, { url: receiver.url })
    const { id } = await createDelivery(client, endpointId)
    const waiting = await eventually(async () => {
      const delivery = await currentDelivery(client, id)
      assert.equal(delivery.attemptCount, 1)
      return delivery
    })
    const { data, pagination } = await failing(client)
    assert.equal(pagination.total, 1)
    const { failingSince, lastAttemptAt, ...rest } = data[0]
    assert.deepEqual(rest, { endpointId, error: 'STATUS', responseStatus: 500, nextAttemptAt: waiting.nextAttemptAt })
    assert.ok(failingSince <= lastAttemptAt)

    let release = () => {}
    receiver.answer = (response) => {
      release = () => response.writeHead(503).end()
    }
    assert.equal((await client.post(`/webhook-deliveries/${id}/retry`)).status, 200)
    await receiver.message(2)
    // PostgreSQL may commit the mark of the attempt after the receiver has seen it.
    await eventually(async () => expectError(await client.post(`/webhook-deliveries/${id}/retry`), 'conflict'))
    release()
    const failed = await eventually(async () => {
      const delivery = await currentDelivery(client, id)
      assert.equal(delivery.attemptCount, 2)
      return delivery
    })
    assert.deepEqual([failed.status, failed.nextAttemptAt], ['PENDING', waiting.nextAttemptAt])
    assert.equal(failed.attempts[1].trigger, 'MANUAL')
    assert.equal((await failing(client)).data[0].responseStatus, 503)

    receiver.answer = (response) => response.end('thanks')
    assert.equal((await client.post(`/webhook-deliveries/${id}/retry`)).status, 200)
    await eventually(async () => assert.equal((await currentDelivery(client, id)).status, 'SUCCEEDED'))
    assert.equal((await failing(client)).pagination.total, 0)
    assert.equal(receiver.messages.length, 3)
  })
})
