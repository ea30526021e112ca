import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { BulkTurns } from '../../../src/server/api/bulk-turns.ts'

const TASK_MS = 60

function createTurns(): BulkTurns {
  return new BulkTurns({ tryLock: async () => ({ release: async () => undefined }) })
}

/** Runs a task and returns when it began and ended. */
function timed(turns: BulkTurns, orgId: string): Promise<{ beganAt: number; endedAt: number }> {
  return turns.run(orgId, async () => {
    const beganAt = performance.now()
    await delay(TASK_MS)
    return { beganAt, endedAt: performance.now() }
  })
}

test('bulk operations of one organization take at most a quarter of the time', async () => {
  const turns = createTurns()
  const waiting = [timed(turns, 'a'), timed(turns, 'a')]
  const [first, second] = await Promise.all(waiting)
  const third = await timed(turns, 'a')
  assert.ok(first !== undefined && second !== undefined)
  assert.ok(second.beganAt - first.endedAt >= 2.5 * TASK_MS)
  assert.ok(third.beganAt - second.endedAt >= 2.5 * TASK_MS, 'also if none was waiting')
})

test('the pause of an organization does not delay another one', async () => {
  const turns = createTurns()
  await timed(turns, 'a')
  const order: string[] = []
  const again = timed(turns, 'a').then(() => order.push('a'))
  await timed(turns, 'b').then(() => order.push('b'))
  await again
  assert.deepEqual(order, ['b', 'a'])
})
