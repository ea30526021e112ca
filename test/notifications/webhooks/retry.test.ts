import assert from 'node:assert/strict'
import { test } from 'node:test'
import { execute, q } from '../../../src/storage/query.ts'
import { useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { expectError } from '../../support/monitors.ts'
import {
  currentDelivery,
  endpointRow,
  madeDelivery,
  madeEndpoint,
  setEndpoint,
  settle,
  untouchedBy,
} from '../../support/webhooks.ts'

forEachEngine('POST /webhook-deliveries/{deliveryId}/retry', (engine) => {
  const clock = new HandClock()
  const api = useApi(engine, { clock })

  for (const status of ['FAILED', 'SUCCEEDED'] as const) {
    test(`a delivery that has ${status} is due at once, as one manual attempt of the same event`, async () => {
      const { client } = await api.tenant()
      const { id: endpointId } = await madeEndpoint(client)
      const { id } = await madeDelivery(client, endpointId)
      await settle(api.server, id, status, clock.now())
      await setEndpoint(api.server, endpointId, { due_at: null })
      const before = await currentDelivery(client, id)
      clock.advance(60_000)
      const answer = await client.post(`/webhook-deliveries/${id}/retry`)
      assert.equal(answer.status, 200)
      const nextAttemptAt = new Date(clock.now()).toISOString()
      assert.deepEqual(answer.body, { ...before, status: 'PENDING', nextAttemptAt, completedAt: null })
      assert.deepEqual(await currentDelivery(client, id), answer.body)
      assert.equal((await endpointRow(api.server, endpointId)).due_at, clock.now())
      const [row] = await api.server.running.database.read(
        execute(q.selectFrom('webhook_deliveries').select('manual').where('id', '=', id)),
      )
      assert.equal(row?.manual, 1)
    })
  }

  test('a delivery that is PENDING is 409, before the first attempt, between two, and during a manual retry', async () => {
    const { client } = await api.tenant()
    const { id: endpointId } = await madeEndpoint(client)
    const { id } = await madeDelivery(client, endpointId)
    const refused = async () => {
      const answer = await untouchedBy(client, () => client.post(`/webhook-deliveries/${id}/retry`, {}))
      assert.equal(answer.status, 409)
      expectError(answer, 'conflict')
    }
    await refused()
    await settle(api.server, id, 'FAILED')
    assert.equal((await client.post(`/webhook-deliveries/${id}/retry`)).status, 200)
    await refused()
  })

  test('of many simultaneous retries one is accepted', async () => {
    const { client } = await api.tenant()
    const { id: endpointId } = await madeEndpoint(client)
    const { id } = await madeDelivery(client, endpointId)
    await settle(api.server, id, 'FAILED')
    const answers = await Promise.all(Array.from({ length: 12 }, () => client.post(`/webhook-deliveries/${id}/retry`)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(11).fill(409)])
  })

  test('a delivery whose endpoint is disabled is 409 until it is enabled', async () => {
    const { client } = await api.tenant()
    const { id: endpointId } = await madeEndpoint(client)
    const { id } = await madeDelivery(client, endpointId)
    await settle(api.server, id, 'FAILED')
    await client.patch(`/webhook-endpoints/${endpointId}`, { enabled: false })
    expectError(await untouchedBy(client, () => client.post(`/webhook-deliveries/${id}/retry`)), 'conflict')
    await client.patch(`/webhook-endpoints/${endpointId}`, { enabled: true })
    assert.equal((await client.post(`/webhook-deliveries/${id}/retry`)).status, 200)
  })
})
