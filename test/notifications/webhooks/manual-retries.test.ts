import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeManualAttemptsDue } from '../../../src/notifications/webhooks/retry.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { forEachEngine } from '../../support/engines.ts'
import { HeldRequests } from './held-requests.ts'
import { newSendingTest } from './sending.ts'

/** More than a page of deliveries, so that retries in flight or not written yet fill whole pages. */
const COUNT = 300

forEachEngine('many manual retries', (engine) => {
  test('are each sent once, along with new events', async () => {
    await using sending = await newSendingTest(engine)
    const requests = new HeldRequests()
    requests.holdNoMore()
    const { id } = await sending.endpoint('http://127.0.0.1:9/hook')
    await sending.emitEvents(COUNT)
    const now = sending.clock.now()
    const failed = { status: 'FAILED', next_attempt_at: null, completed_at: now, attempt_count: 3 } as const
    await sending.database.write(() => execute(q.updateTable('webhook_deliveries').set(failed)))
    const retried = (await sending.deliveries()).map((delivery) => delivery.id)
    await sending.database.write(() => makeManualAttemptsDue(sending.orgId, retried, now))
    await sending.change(id, { due_at: now })
    await using node = await sending.node({ post: requests.send })
    await sending.emitEvents(10)
    await node.sendDue()
    assert.equal(requests.all.length, COUNT + 10)
    assert.equal(new Set(requests.all.map(({ headers }) => headers['webhook-id'])).size, COUNT + 10)
    const deliveries = await sending.deliveries()
    assert.ok(deliveries.every(({ status, manual }) => status === 'SUCCEEDED' && Number(manual) === 0))
    assert.deepEqual(
      [...new Set(deliveries.slice(0, COUNT).map(({ attempt_count: count }) => count))],
      [failed.attempt_count + 1],
    )
    const attempts = await sending.attempts()
    assert.equal(attempts.filter(({ trigger_kind: kind }) => kind === 'MANUAL').length, COUNT)
  })
})
