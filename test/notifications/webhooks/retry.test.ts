import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Updateable } from 'kysely'
import { execute, q } from '../../../src/storage/query.ts'
import type { DeliveryTable } from '../../../src/storage/schema/webhooks.ts'
import { useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { expectError } from '../../support/monitors.ts'
import {
  createDelivery,
  createEndpoint,
  currentDelivery,
  endpointRow,
  setEndpoint,
  settle,
  untouchedBy,
} from '../../support/webhooks.ts'

forEachEngine('POST /webhook-deliveries/{deliveryId}/retry', (engine) => {
  const clock = new HandClock()
  const api = useApi(engine, { clock })
  const row = async (id: string) => {
    const found = execute(q.selectFrom('webhook_deliveries').selectAll().where('id', '=', id))
    return (await api.server.running.database.read(found))[0]
  }
  const change = (id: string, to: Updateable<DeliveryTable>) =>
    api.server.running.database.write(() => execute(q.updateTable('webhook_deliveries').set(to).where('id', '=', id)))

  for (const status of ['FAILED', 'SUCCEEDED'] as const) {
    test(`a delivery that has ${status} is due at once, as one manual attempt of the same event`, async () => {
      const { client } = await api.tenant()
      const { id: endpointId } = await createEndpoint(client)
      const { id } = await createDelivery(client, endpointId)
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
      assert.partialDeepStrictEqual(await row(id), { manual: 1, planned_at: null })
    })
  }

  test('a delivery that waits is due at once, and keeps the time of its next scheduled attempt', async () => {
    const { client } = await api.tenant()
    const { id: endpointId } = await createEndpoint(client)
    const { id } = await createDelivery(client, endpointId)
    const plannedAt = clock.now() + 300_000
    await change(id, { attempt_count: 2, next_attempt_at: plannedAt })
    await setEndpoint(api.server, endpointId, { due_at: plannedAt })
    clock.advance(1000)
    const answers = await Promise.all(Array.from({ length: 5 }, () => client.post(`/webhook-deliveries/${id}/retry`)))
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
    const expected = { manual: 1, next_attempt_at: clock.now(), planned_at: plannedAt, attempt_count: 2 }
    assert.partialDeepStrictEqual(await row(id), expected)
    assert.equal((await endpointRow(api.server, endpointId)).due_at, clock.now())
  })

  test('a delivery whose attempt is on the wire is 409, and not one that its node has left unfinished', async () => {
    const { client } = await api.tenant()
    const { id: endpointId } = await createEndpoint(client)
    const { id } = await createDelivery(client, endpointId)
    await change(id, { sending_by: 'node-1' })
    await setEndpoint(api.server, endpointId, { claimed_by: 'node-1' })
    const refused = await untouchedBy(client, () => client.post(`/webhook-deliveries/${id}/retry`))
    expectError(refused, 'conflict')
    await setEndpoint(api.server, endpointId, { claimed_by: 'node-2' })
    assert.equal((await client.post(`/webhook-deliveries/${id}/retry`)).status, 200)
  })

  test('a delivery whose endpoint is disabled is 409 until it is enabled', async () => {
    const { client } = await api.tenant()
    const { id: endpointId } = await createEndpoint(client)
    const { id } = await createDelivery(client, endpointId)
    await settle(api.server, id, 'FAILED')
    await client.patch(`/webhook-endpoints/${endpointId}`, { enabled: false })
    expectError(await untouchedBy(client, () => client.post(`/webhook-deliveries/${id}/retry`)), 'conflict')
    await client.patch(`/webhook-endpoints/${endpointId}`, { enabled: true })
    assert.equal((await client.post(`/webhook-deliveries/${id}/retry`)).status, 200)
  })
})
