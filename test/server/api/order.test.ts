import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Api, useApi } from '../../support/api.ts'
import { call, monitorChanges } from '../../support/contract.ts'
import { createMonitor, expectError, smallest, total } from '../../support/monitors.ts'
import { setSubscription } from '../../support/tables.ts'

/** Each request has the fault of the named step and of all later steps; the earliest is reported. */
const badKey = { 'idempotency-key': 'not a key' }
const badType = { 'content-type': 'text/plain' }

describe('order of judgement', () => {
  const api = useApi('sqlite')
  beforeTheInput(api)
  afterTheInput(api)
})

function beforeTheInput(api: Api): void {
  test('credentials come before path, method, access and everything else', async () => {
    const nobody = api.clientWith({ 'x-api-key': 'phr_nobody' })
    expectError(await nobody.post('/nothing', '{', { ...badKey, ...badType }), 'unauthorized')
    expectError(await nobody.send('PUT', '/monitors', '{', { ...badKey, ...badType }), 'unauthorized')
    expectError(await nobody.post('/monitors', '{', { ...badKey, ...badType }), 'unauthorized')
  })

  test('path and method come before the access level', async () => {
    const { reader } = await api.tenant()
    const readOnly = await reader()
    expectError(await readOnly.post('/nothing', '{', { ...badKey, ...badType }), 'not_found')
    expectError(await readOnly.send('PUT', '/monitors', '{', { ...badKey, ...badType }), 'method_not_allowed')
  })

  for (const operation of monitorChanges) {
    test(`${operation.name}: the access level comes before the Idempotency-Key, that before the input`, async () => {
      const { client, reader, orgId } = await api.tenant()
      const readOnly = await reader()
      await setSubscription(api.server, orgId, 'inactive')
      const wrong = { ...operation, body: () => '{' }
      expectError(await call(readOnly, wrong, 'mon_unknown', { ...badKey, ...badType }), 'forbidden')
      expectError(await call(client, wrong, 'mon_unknown', { ...badKey, ...badType }), 'invalid_idempotency_key')
      expectError(await call(client, wrong, 'mon_unknown', badType), 'validation_error', ['content-type'])
      expectError(await call(client, wrong, 'mon_unknown'), 'validation_error', ['body'])
      expectError(await call(client, operation, 'mon_unknown'), 'subscription_required')
    })
  }

  test('faults of path and body are reported together', async () => {
    const { client } = await api.tenant()
    expectError(await client.patch('/monitors/%00', { port: 0 }), 'validation_error', ['monitorId', 'port'])
  })
}

function afterTheInput(api: Api): void {
  test('input is validated before a replay', async () => {
    const { client } = await api.tenant()
    const key = { 'idempotency-key': 'used' }
    assert.equal((await client.post('/monitors', smallest('HTTP'), key)).status, 201)
    expectError(await client.post('/monitors', smallest('HTTP', { port: 0 }), key), 'validation_error', ['port'])
    expectError(await client.post('/monitors', '{', key), 'validation_error', ['body'])
  })

  test('replay and conflict come before the subscription', async () => {
    const { client, orgId } = await api.tenant()
    const key = { 'idempotency-key': 'used' }
    const first = await client.post('/monitors', smallest('HTTP'), key)
    await setSubscription(api.server, orgId, 'inactive')
    const again = await client.post('/monitors', smallest('HTTP'), key)
    assert.deepEqual([again.status, again.headers.get('idempotency-replayed')], [201, 'true'])
    assert.deepEqual(again.body, first.body)
    expectError(await client.post('/monitors', smallest('PING'), key), 'idempotency_conflict')
    expectError(await client.post('/monitors', smallest('HTTP')), 'subscription_required')
    assert.equal(await total(client), 1)
  })

  test('replay and conflict come before the resource: also for a deleted monitor', async () => {
    const { client } = await api.tenant()
    const { id } = await createMonitor(client)
    const key = { 'idempotency-key': 'rename' }
    await client.patch(`/monitors/${id}`, { name: 'Other' }, key)
    await client.delete(`/monitors/${id}`)
    assert.equal((await client.patch(`/monitors/${id}`, { name: 'Other' }, key)).status, 200)
    expectError(await client.patch(`/monitors/${id}`, { name: 'Third' }, key), 'idempotency_conflict')
    expectError(await client.patch(`/monitors/${id}`, { name: 'Third' }), 'not_found')
  })

  test('the subscription comes before the resource, its state and the plan', async () => {
    const { client, orgId } = await api.tenant('FREE')
    const { id } = await createMonitor(client)
    await client.post(`/monitors/${id}/pause`, {})
    await setSubscription(api.server, orgId, 'inactive')
    expectError(await client.patch('/monitors/mon_unknown', { intervalSeconds: 30 }), 'subscription_required')
    expectError(await client.post(`/monitors/${id}/check`, {}), 'subscription_required')
    expectError(await client.post('/monitors', smallest('HTTP', { intervalSeconds: 30 })), 'subscription_required')
  })

  test('the resource comes before its state and the plan', async () => {
    const [own, other] = [await api.tenant('FREE'), await api.tenant('FREE')]
    const { id } = await createMonitor(other.client)
    await other.client.post(`/monitors/${id}/pause`, {})
    expectError(await own.client.post(`/monitors/${id}/check`, {}), 'not_found')
    expectError(await own.client.patch(`/monitors/${id}`, { intervalSeconds: 30 }), 'not_found')
  })

  test('the body comes before the plan, and so does the monitor as a whole', async () => {
    const { client } = await api.tenant('FREE')
    const { id } = await createMonitor(client)
    const faulty = smallest('HTTP', { intervalSeconds: 30, port: 0 })
    expectError(await client.post('/monitors', faulty), 'validation_error', ['port'])
    expectError(await client.patch(`/monitors/${id}`, { intervalSeconds: 30, url: null }), 'validation_error', ['url'])
    expectError(await client.patch(`/monitors/${id}`, { intervalSeconds: 30 }), 'plan_limit')
  })
}
