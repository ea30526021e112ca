import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emit } from '../../../src/events/emit.ts'
import { eventTypes } from '../../../src/events/types.ts'
import { HOUR_MS, SECOND_MS } from '../../../src/lib/clock.ts'
import { catalogue } from '../../../src/server/operations/webhook-events/catalogue.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { useInstallation } from '../../support/person.ts'
import { startReceiver } from '../../support/receiver.ts'
import { endpointRow, RECEIVER, setEndpoint, settle } from '../../support/webhooks.ts'

forEachEngine('the webhooks of the dashboard', (engine) => {
  const clock = new HandClock()
  const installation = useInstallation(engine, { clock })
  const database = () => installation.server.running.database

  const created = async (): Promise<string> => {
    const { status, body } = await installation.owner.post('/v1/webhook-endpoints', { url: RECEIVER })
    assert.equal(status, 201, JSON.stringify(body))
    return body.id
  }
  const rowsOf = (endpointId: string) =>
    database().read(
      execute(q.selectFrom('webhook_deliveries').selectAll().where('endpoint_id', '=', endpointId).orderBy('seq')),
    )
  /** Emits events and marks their deliveries as failed. */
  const fail = async (endpointId: string, count: number, at: number): Promise<void> => {
    const orgId = await installation.server.defaultOrgId()
    await database().write(function* () {
      for (let i = 0; i < count; i += 1) yield* emit({ orgId, type: 'monitor.created', data: '{}', now: at })
      const failed = { status: 'FAILED', next_attempt_at: null, completed_at: at, attempt_count: 8 } as const
      yield* execute(q.updateTable('webhook_deliveries').set(failed).where('endpoint_id', '=', endpointId))
      yield* execute(q.updateTable('webhook_endpoints').set({ due_at: null }).where('id', '=', endpointId))
    })
  }
  const retry = (endpointId: string, since: number) =>
    installation.owner.post(`/v1/webhook-endpoints/${endpointId}/retry-failed`, {
      since: new Date(since).toISOString(),
    })
  const forget = (endpointId: string) => installation.owner.delete(`/v1/webhook-endpoints/${endpointId}`)

  test('retry the deliveries that failed since a time, as single retries do, and no others', async () => {
    const id = await created()
    const at = clock.now()
    await fail(id, 1, at - HOUR_MS - 1)
    await fail(id, 2, at - HOUR_MS)
    const { body: tested } = await installation.owner.post(`/v1/webhook-endpoints/${id}/test`)
    await settle(installation.server, tested.id, 'SUCCEEDED', at)
    const { body: pending } = await installation.owner.post(`/v1/webhook-endpoints/${id}/test`)
    await setEndpoint(installation.server, id, { due_at: null })
    const before = await rowsOf(id)
    const { status, body } = await retry(id, at - HOUR_MS)
    assert.deepEqual([status, body], [200, { retried: 2, more: false }])
    const again = { status: 'PENDING', manual: 1, next_attempt_at: at, completed_at: null }
    assert.deepEqual(
      (await rowsOf(id)).map((row) => ({ ...row })),
      before.map((row, i) => (i === 1 || i === 2 ? { ...row, ...again } : { ...row })),
    )
    assert.equal((await endpointRow(installation.server, id)).due_at, at, 'the sender looks at it')
    assert.deepEqual((await retry(id, at - HOUR_MS)).body, { retried: 0, more: false })
    assert.equal(pending.status, 'PENDING')
    const [entry] = (await installation.owner.get('/v1/audit-log?limit=1')).body.data
    assert.deepEqual([entry.action, entry.target], ['retryFailedDeliveries', id])
    await forget(id)
  })

  test('retry at most 500 per request, the oldest first, and report that there are more', async () => {
    const id = await created()
    await fail(id, 503, clock.now())
    assert.deepEqual((await retry(id, 0)).body, { retried: 500, more: true })
    const rows = await rowsOf(id)
    assert.ok(rows.slice(0, 500).every(({ status }) => status === 'PENDING'))
    assert.ok(rows.slice(500).every(({ status }) => status === 'FAILED'))
    assert.deepEqual((await retry(id, 0)).body, { retried: 3, more: false })
    await forget(id)
  })

  test('retry nothing for an endpoint that is disabled', async () => {
    const id = await created()
    await fail(id, 1, clock.now())
    await installation.owner.patch(`/v1/webhook-endpoints/${id}`, { enabled: false })
    const refused = await retry(id, 0)
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'conflict'])
    assert.equal((await rowsOf(id))[0]?.status, 'FAILED')
    await forget(id)
  })

  test('list every event type with an example of what is sent', async () => {
    const { data } = (await installation.owner.get('/v1/webhook-events')).body
    assert.deepEqual(
      data.map(({ type }: { type: string }) => type),
      eventTypes,
    )
    for (const { type, description, example } of data) {
      assert.equal(description, catalogue[type as (typeof eventTypes)[number]].sentence)
      assert.deepEqual(Object.keys(example), ['id', 'type', 'timestamp', 'data'])
      assert.equal(example.type, type)
    }
  })
})

forEachEngine('the request of a delivery', (engine) => {
  const installation = useInstallation(engine, {
    env: { PHAROS_ROLES: 'api,sender', PHAROS_PRIVATE_WEBHOOKS: 'allow' },
  })

  test('is what the receiver got, without the signature', async () => {
    await using receiver = await startReceiver()
    const { owner } = installation
    const { body: endpoint } = await owner.post('/v1/webhook-endpoints', { url: receiver.url })
    const { body: delivery } = await owner.post(`/v1/webhook-endpoints/${endpoint.id}/test`)
    const { headers, raw } = await receiver.message(1)
    const shown = async () => (await owner.get(`/v1/webhook-deliveries/${delivery.id}/request`)).body
    while ((await shown()).headers['webhook-timestamp'] === null) await new Promise((done) => setTimeout(done, 20))
    const request = await shown()
    assert.deepEqual([request.url, request.body], [receiver.url, raw])
    assert.deepEqual(Object.keys(request.headers), ['content-type', 'user-agent', 'webhook-id', 'webhook-timestamp'])
    for (const [name, value] of Object.entries(request.headers)) assert.equal(value, headers[name], name)
    assert.ok(Math.abs(Number(request.headers['webhook-timestamp']) * SECOND_MS - Date.now()) < 60_000)
    assert.ok(!JSON.stringify(request).includes(endpoint.secret))
  })

  test('has no time before the first attempt', async () => {
    const { body: endpoint } = await installation.owner.post('/v1/webhook-endpoints', { url: 'http://127.0.0.1:9/' })
    // Claimed, so that nothing is sent.
    await setEndpoint(installation.server, endpoint.id, { claimed_by: 'somebody', due_at: Date.now() + HOUR_MS })
    const { body: delivery } = await installation.owner.post(`/v1/webhook-endpoints/${endpoint.id}/test`)
    const { body } = await installation.owner.get(`/v1/webhook-deliveries/${delivery.id}/request`)
    assert.equal(body.headers['webhook-timestamp'], null)
  })
})
