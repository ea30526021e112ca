import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { nextStep, RETRY_DELAYS_MS } from '../../../src/notifications/contacts/next-step.ts'

test('an alert is tried six times with growing delays and then given up', () => {
  const steps = [1, 2, 3, 4, 5, 6].map((attempt) => nextStep(attempt, null, 0.5))
  assert.deepEqual(
    steps.map((step) => (step.do === 'retry' ? step.inMs / 1000 : step.do)),
    [10, 60, 300, 1800, 7200, 'giveUp'],
  )
  assert.equal(RETRY_DELAYS_MS.length, 5)
})

test('jitter varies the delay by 10% either way, and Retry-After is the least delay', () => {
  const attempt = fc.integer({ min: 1, max: 5 })
  const retryAfter = fc.option(fc.integer({ min: 0, max: 7_200_000 }))
  fc.assert(
    fc.property(attempt, retryAfter, fc.double({ min: 0, max: 1, noNaN: true }), (number, retryAfterMs, random) => {
      const step = nextStep(number, retryAfterMs, random)
      assert.ok(step.do === 'retry')
      const delayMs = RETRY_DELAYS_MS[number - 1] as number
      assert.ok(step.inMs >= Math.max(0.9 * delayMs - 1, retryAfterMs ?? 0))
      assert.ok(step.inMs <= Math.max(1.1 * delayMs + 1, retryAfterMs ?? 0))
    }),
  )
})
