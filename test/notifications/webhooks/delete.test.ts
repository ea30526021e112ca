import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createMonitor, expectError } from '../../support/monitors.ts'
import { createDelivery, createEndpoint, deliveries, settle, withoutSecret } from '../../support/webhooks.ts'

forEachEngine('DELETE /webhook-endpoints/{endpointId}', (engine) => {
  const api = useApi(engine)

  test('the endpoint is 404 afterwards, also for a second deletion', async () => {
    const { client } = await api.tenant()
    const { id } = await createEndpoint(client)
    const answer = await client.delete(`/webhook-endpoints/${id}`)
    assert.deepEqual([answer.status, answer.body], [200, { data: { id } }])
    expectError(await client.get(`/webhook-endpoints/${id}`), 'not_found')
    expectError(await client.delete(`/webhook-endpoints/${id}`), 'not_found')
    assert.equal((await client.get('/webhook-endpoints')).body.pagination.total, 0)
  })

  test('its deliveries disappear at once from every list; those of other endpoints stay', async () => {
    const { client } = await api.tenant()
    const [gone, stays] = [await createEndpoint(client), await createEndpoint(client)]
    await createMonitor(client)
    const lost = await createDelivery(client, gone.id)
    await settle(api.server, lost.id, 'FAILED')
    const kept = (await deliveries(client)).filter(({ endpointId }) => endpointId === stays.id)
    await client.delete(`/webhook-endpoints/${gone.id}`)
    const { body } = await client.get('/webhook-deliveries')
    assert.deepEqual(body, { data: kept, pagination: { limit: 25, offset: 0, total: 1 } })
    for (const query of [`&endpointId=${gone.id}`, '&status=FAILED', '&eventType=webhook.test']) {
      assert.deepEqual(await deliveries(client, query), [])
    }
    assert.deepEqual(await deliveries(client, '&status=PENDING'), kept)
    expectError(await client.get(`/webhook-deliveries/${lost.id}`), 'not_found')
    expectError(await client.post(`/webhook-deliveries/${lost.id}/retry`), 'not_found')
    assert.deepEqual((await client.get('/webhook-endpoints')).body.data, [withoutSecret(stays)])
  })

  test('later events are sent to the remaining endpoints', async () => {
    const { client } = await api.tenant()
    const [gone, stays] = [await createEndpoint(client), await createEndpoint(client)]
    await client.delete(`/webhook-endpoints/${gone.id}`)
    await createMonitor(client)
    assert.deepEqual(
      (await deliveries(client)).map(({ endpointId }) => endpointId),
      [stays.id],
    )
  })
})
