import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DAY_MS, HOUR_MS } from '../../../src/lib/clock.ts'
import { type Fault, nextStep } from '../../../src/notifications/deliveries/next-step.ts'
import { retryDelaysMs } from '../../../src/notifications/deliveries/retry-delays.ts'

const failed = (fault: Fault = 'refused', retryAfterMs: number | null = null) =>
  ({ ok: false, fault, error: 'x', retryAfterMs }) as const

test('a failure is retried after the next delay, until the delays of its kind end', () => {
  for (const delaysMs of Object.values(retryDelaysMs)) {
    const steps = [...delaysMs, 0].map((_, i) => nextStep(failed(), i + 1, delaysMs, 0.5))
    assert.deepEqual(steps, [...delaysMs.map((inMs) => ({ do: 'retry', inMs })), { do: 'giveUp' }])
  }
  const noticeMs = retryDelaysMs.notice.reduce<number>((sum, ms) => sum + ms, 0)
  assert.ok(noticeMs > 10 * HOUR_MS && noticeMs < DAY_MS, 'within the day that a notice lives')
})

test('a success is done; a recipient that does not exist gets no retry; a fault of our own costs no attempt', () => {
  assert.deepEqual(nextStep({ ok: true }, 9, [], 0), { do: 'done' })
  for (const fault of ['rejected', 'gone'] as const) {
    assert.deepEqual(nextStep(failed(fault), 1, retryDelaysMs.notice, 0), { do: 'giveUp' })
  }
  assert.deepEqual(nextStep(failed('unreachable'), 99, [], 0), { do: 'wait' })
})

test('jitter varies the delay by 10% either way, and Retry-After is the least delay', () => {
  const attempts = fc.integer({ min: 1, max: retryDelaysMs.alert.length })
  const retryAfter = fc.option(fc.integer({ min: 0, max: 7_200_000 }))
  fc.assert(
    fc.property(attempts, retryAfter, fc.double({ min: 0, max: 1, noNaN: true }), (attempt, retryAfterMs, random) => {
      const step = nextStep(failed('refused', retryAfterMs), attempt, retryDelaysMs.alert, random)
      assert.ok(step.do === 'retry')
      const delayMs = retryDelaysMs.alert[attempt - 1] as number
      assert.ok(step.inMs >= Math.max(0.9 * delayMs - 1, retryAfterMs ?? 0))
      assert.ok(step.inMs <= Math.max(1.1 * delayMs + 1, retryAfterMs ?? 0))
    }),
  )
})
