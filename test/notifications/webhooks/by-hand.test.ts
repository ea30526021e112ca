import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tryOnceMore } from '../../../src/notifications/webhooks/retry.ts'
import { ask, q, runEach } from '../../../src/storage/query.ts'
import { forEachEngine } from '../../support/engines.ts'
import { startReceiver } from './receiver.ts'
import { newStage } from './stage.ts'

const COUNT = 300

forEachEngine('many retries by hand', (engine) => {
  test('are all made, once each, with what happens meanwhile, and the rest of the node goes on', async () => {
    await using stage = await newStage(engine)
    // Slower than they are read: what is under way or not written yet fills whole pages.
    await using receiver = await startReceiver((response) => setTimeout(() => response.end('thanks'), 5))
    const { id } = await stage.endpoint(receiver.url)
    await stage.happen(COUNT)
    const now = Date.now()
    const given = { status: 'FAILED', next_attempt_at: null, completed_at: now, attempt_count: 3 } as const
    await stage.database.write(() => ask(q.updateTable('webhook_deliveries').set(given)))
    const failed = await stage.deliveries()
    await stage.database.write(() =>
      runEach(
        tryOnceMore,
        failed.map((delivery) => ({ orgId: stage.orgId, id: delivery.id, now })),
      ),
    )
    await stage.change(id, { due_at: now })
    await using _ = await stage.send()
    await stage.happen(10)
    await receiver.count(COUNT + 10, 60_000)
    await stage.settled(30_000)
    assert.equal(receiver.letters.length, COUNT + 10)
    assert.equal(new Set(receiver.letters.map((letter) => letter.id)).size, COUNT + 10)
    const deliveries = await stage.deliveries()
    assert.ok(deliveries.every(({ status, manual }) => status === 'SUCCEEDED' && Number(manual) === 0))
    assert.deepEqual(
      [...new Set(deliveries.slice(0, COUNT).map(({ attempt_count: count }) => count))],
      [given.attempt_count + 1],
    )
    const attempts = await stage.attempts()
    assert.equal(attempts.filter(({ trigger_kind: kind }) => kind === 'MANUAL').length, COUNT)
  })
})
