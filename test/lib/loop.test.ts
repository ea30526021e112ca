import assert from 'node:assert/strict'
import { afterEach, beforeEach, mock, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { silentLog } from '../../src/lib/log.ts'
import { type Rest, startLoop } from '../../src/lib/loop.ts'

const REST_MS = 200

beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 0 }))
afterEach(() => mock.timers.reset())

/** Moves time on and lets the loops run. */
async function advance(ms: number): Promise<void> {
  await setImmediate()
  mock.timers.tick(ms)
  await setImmediate()
}

function recordingLoop(rest: () => Rest) {
  const ticks: number[] = []
  const loop = startLoop('test', silentLog, async () => {
    ticks.push(Date.now())
    return rest()
  })
  return { ticks, loop }
}

test('a nudge ends a rest, and one during a tick skips the rest after it', async () => {
  const { ticks, loop } = recordingLoop(() => ({ restMs: 60_000 }))
  loop.nudge()
  await setImmediate()
  assert.equal(ticks.length, 2, 'during the first tick')
  loop.nudge()
  await setImmediate()
  assert.equal(ticks.length, 3, 'during the rest')
  await loop.stop()
})

test('a tick that fails is retried after a second', async () => {
  let hasFailed = false
  const { ticks, loop } = recordingLoop(() => {
    if (hasFailed) return { restMs: REST_MS }
    hasFailed = true
    throw new Error('once')
  })
  await advance(999)
  assert.deepEqual(ticks, [0])
  await advance(1)
  assert.deepEqual(ticks, [0, 1_000])
  await loop.stop()
})

test('a tick that has more to do runs again without resting', async () => {
  let left = 3
  const { ticks, loop } = recordingLoop(() => (--left > 0 ? 'again' : { restMs: REST_MS }))
  for (let i = 0; i < 5; i += 1) await setImmediate()
  assert.deepEqual(ticks, [0, 0, 0])
  await loop.stop()
})
