import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type AttemptSummary, nextStep } from '../../../src/notifications/webhooks/next-step.ts'

const SCHEDULE = [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400]
const failure = (number: number, more: Partial<AttemptSummary> = {}): AttemptSummary => ({
  number,
  manual: false,
  plannedInMs: null,
  succeeded: false,
  retryAfterMs: null,
  ...more,
})

test('a success ends the delivery; a failure is retried after the next delay, until the schedule ends', () => {
  assert.deepEqual(nextStep(failure(1, { succeeded: true }), SCHEDULE, 0.5), { do: 'done' })
  for (let number = 1; number < SCHEDULE.length; number += 1) {
    const inMs = (SCHEDULE[number] ?? 0) * 1000
    assert.deepEqual(nextStep(failure(number), SCHEDULE, 0.5), { do: 'retry', inMs })
  }
  assert.deepEqual(nextStep(failure(8), SCHEDULE, 0.5), { do: 'giveUp' })
  assert.deepEqual(nextStep(failure(9), SCHEDULE, 0.5), { do: 'giveUp' }, 'the schedule may have become shorter')
})

test('jitter changes a delay by at most a tenth', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 7 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (n, chance) => {
        const step = nextStep(failure(n), SCHEDULE, chance)
        assert.ok(step.do === 'retry')
        const delayMs = (SCHEDULE[n] ?? 0) * 1000
        assert.ok(step.inMs >= delayMs * 0.9 && step.inMs <= delayMs * 1.1)
      },
    ),
  )
  assert.deepEqual(nextStep(failure(1), SCHEDULE, 0), { do: 'retry', inMs: 4500 })
  assert.deepEqual(nextStep(failure(1), SCHEDULE, 0.999_999), { do: 'retry', inMs: 5500 })
})

test('the retry is never earlier than Retry-After, and later if the schedule says so', () => {
  assert.deepEqual(nextStep(failure(1, { retryAfterMs: 60_000 }), SCHEDULE, 0.5), { do: 'retry', inMs: 60_000 })
  assert.deepEqual(nextStep(failure(2, { retryAfterMs: 60_000 }), SCHEDULE, 0.5), { do: 'retry', inMs: 300_000 })
  assert.deepEqual(nextStep(failure(8, { retryAfterMs: 60_000 }), SCHEDULE, 0.5), { do: 'giveUp' })
})

test('a manual attempt is not retried, but a scheduled one that was planned still follows', () => {
  assert.deepEqual(nextStep(failure(3, { manual: true, plannedInMs: 7 }), SCHEDULE, 0.5), { do: 'retry', inMs: 7 })
  assert.deepEqual(nextStep(failure(3, { manual: true }), SCHEDULE, 0.5), { do: 'giveUp' })
  assert.deepEqual(nextStep(failure(9, { manual: true, succeeded: true }), SCHEDULE, 0.5), { do: 'done' })
})
