import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { nextStep, RETRY_DELAYS_MS, retryAfterMs } from '../../../src/notifications/contacts/next-step.ts'

test('an alert is tried six times, at growing distances, and then given up', () => {
  const steps = [1, 2, 3, 4, 5, 6].map((attempt) => nextStep(attempt, null, 0.5))
  assert.deepEqual(
    steps.map((step) => (step.do === 'retry' ? step.inMs / 1000 : step.do)),
    [10, 60, 300, 1800, 7200, 'giveUp'],
  )
  assert.equal(RETRY_DELAYS_MS.length, 5)
})

test('chance spreads retries by a tenth either way, and never goes against the wish of the other side', () => {
  const attempt = fc.integer({ min: 1, max: 5 })
  const wish = fc.option(fc.integer({ min: 0, max: 7_200_000 }))
  fc.assert(
    fc.property(attempt, wish, fc.double({ min: 0, max: 1, noNaN: true }), (number, wishMs, chance) => {
      const step = nextStep(number, wishMs, chance)
      assert.ok(step.do === 'retry')
      const delayMs = RETRY_DELAYS_MS[number - 1] as number
      assert.ok(step.inMs >= Math.max(0.9 * delayMs - 1, wishMs ?? 0))
      assert.ok(step.inMs <= Math.max(1.1 * delayMs + 1, wishMs ?? 0))
    }),
  )
})

test('Retry-After is read as seconds and as a date, and believed for two hours at most', () => {
  const now = Date.UTC(2027, 0, 31, 14, 0, 0)
  assert.equal(retryAfterMs('120', now), 120_000)
  assert.equal(retryAfterMs(' 1.5 ', now), 1_500)
  assert.equal(retryAfterMs('Sun, 31 Jan 2027 14:01:00 GMT', now), 60_000)
  assert.equal(retryAfterMs('Sun, 31 Jan 2027 13:00:00 GMT', now), 0)
  assert.equal(retryAfterMs('999999999', now), 7_200_000)
  for (const nonsense of [null, '', 'soon', '-5']) assert.ok((retryAfterMs(nonsense, now) ?? 0) === 0, `${nonsense}`)
})
