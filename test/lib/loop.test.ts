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

function recordingLoop({ rest = (): Rest => ({ restMs: REST_MS }), now = Date.now } = {}) {
  const ticks: number[] = []
  const loop = startLoop(
    'test',
    silentLog,
    async () => {
      ticks.push(Date.now())
      return rest()
    },
    now,
  )
  return { ticks, loop }
}

test('loops with equal rests tick at the same times, whenever they started', async () => {
  const one = recordingLoop()
  await advance(70)
  const other = recordingLoop()
  for (const ms of [130, 200, 200]) await advance(ms)
  assert.deepEqual(one.ticks, [0, 200, 400, 600])
  assert.deepEqual(other.ticks, [70, 200, 400, 600])
  await Promise.all([one.loop.stop(), other.loop.stop()])
})

test('a timer that fires early does not tick twice', async () => {
  const { ticks, loop } = recordingLoop({ now: () => Date.now() + 195 })
  await advance(205)
  await advance(199)
  assert.deepEqual(ticks, [0, 205])
  await advance(1)
  assert.deepEqual(ticks, [0, 205, 405])
  await loop.stop()
})

test('a nudge ends a rest, and one during a tick skips the rest after it', async () => {
  const { ticks, loop } = recordingLoop({ rest: () => ({ restMs: 60_000 }) })
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
  const { ticks, loop } = recordingLoop({
    rest: () => {
      if (hasFailed) return { restMs: REST_MS }
      hasFailed = true
      throw new Error('once')
    },
  })
  await advance(999)
  assert.deepEqual(ticks, [0])
  await advance(1)
  assert.deepEqual(ticks, [0, 1_000])
  await loop.stop()
})

test('a tick that has more to do runs again without resting', async () => {
  let left = 3
  const { ticks, loop } = recordingLoop({ rest: () => (--left > 0 ? 'again' : { restMs: REST_MS }) })
  for (let i = 0; i < 5; i += 1) await setImmediate()
  assert.deepEqual(ticks, [0, 0, 0])
  await loop.stop()
})
