import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { StallMeter } from '../../../src/monitoring/probes/stall-meter.ts'

/** A meter that notes stalls from 500 ms on, with a clock and an event loop that the test controls. */
function startMeter() {
  mock.timers.enable({ apis: ['setInterval'] })
  let nowMs = 1_000_000
  const meter = new StallMeter(500, () => nowMs)
  meter.start()
  return {
    meter,
    now: () => nowMs,
    /** Time passes without a turn of the event loop. */
    block(ms: number) {
      nowMs += ms
    },
    /** The event loop runs for 100 ms. */
    turn() {
      nowMs += 100
      mock.timers.tick(100)
    },
    [Symbol.dispose]() {
      meter.stop()
      mock.timers.reset()
    },
  }
}

test('a stall is known before and after the next tick, and the longest one counts', () => {
  using thread = startMeter()
  const startedAt = thread.now()
  thread.block(1_000)
  assert.equal(thread.meter.longestSince(startedAt), 900)
  thread.turn()
  assert.equal(thread.meter.longestSince(startedAt), 1_000)
  thread.block(600)
  thread.turn()
  assert.equal(thread.meter.longestSince(startedAt), 1_000)
})

test('a stall that ended before a check began does not concern it', () => {
  using thread = startMeter()
  thread.block(2_000)
  thread.turn()
  thread.turn()
  assert.equal(thread.meter.longestSince(thread.now()), 0)
})

test('short stalls are not recorded', () => {
  using thread = startMeter()
  const startedAt = thread.now()
  thread.block(499)
  thread.turn()
  assert.equal(thread.meter.longestSince(startedAt), 0)
})

test('a stopped meter records nothing, but keeps the stall that ended with it', () => {
  using thread = startMeter()
  const startedAt = thread.now()
  thread.block(1_000)
  thread.meter.stop()
  assert.equal(thread.meter.longestSince(startedAt), 900)
  const stoppedAt = thread.now() + 1
  thread.block(1_000)
  assert.equal(thread.meter.longestSince(stoppedAt), 0)
  thread.meter.start()
  assert.equal(thread.meter.longestSince(stoppedAt), 0)
})
