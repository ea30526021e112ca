import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR_MS, MINUTE_MS } from '../../../src/lib/clock.ts'
import { nextStep, outagePauseMs, RETRY_DELAYS_MS } from '../../../src/notifications/subscribers/next-step.ts'

const failed = (fault: 'rejected' | 'refused' | 'unreachable') => ({ ok: false, fault, error: 'x' }) as const
const fresh = { attempts: 0, rejections: 0 }

test('a sent e-mail is done', () => {
  assert.deepEqual(nextStep({ ok: true }, { attempts: 3, rejections: 2 }, 0), { do: 'done' })
})

test('the third rejection in a row disables the subscriber', () => {
  assert.deepEqual(nextStep(failed('rejected'), fresh, 0), { do: 'reject', disable: false })
  assert.deepEqual(nextStep(failed('rejected'), { ...fresh, rejections: 1 }, 0), { do: 'reject', disable: false })
  assert.deepEqual(nextStep(failed('rejected'), { ...fresh, rejections: 2 }, 0), { do: 'reject', disable: true })
})

test('a refused e-mail is retried with 10% jitter and then given up', () => {
  for (const [attempts, delayMs] of RETRY_DELAYS_MS.entries()) {
    const [soonest, latest] = [0, 1].map((chance) => nextStep(failed('refused'), { ...fresh, attempts }, chance))
    assert.deepEqual(soonest, { do: 'retry', inMs: Math.round(delayMs * 0.9), counts: true })
    assert.deepEqual(latest, { do: 'retry', inMs: Math.round(delayMs * 1.1), counts: true })
  }
  assert.deepEqual(nextStep(failed('refused'), { ...fresh, attempts: RETRY_DELAYS_MS.length }, 0), { do: 'giveUp' })
  const total = RETRY_DELAYS_MS.reduce((sum, ms) => sum + ms, 0)
  assert.ok(total > 10 * HOUR_MS && total < 20 * HOUR_MS, 'within the day that a notice lives')
})

test('an unreachable mail server costs no attempt, and its pause grows', () => {
  assert.deepEqual(nextStep(failed('unreachable'), { ...fresh, attempts: 99 }, 0.5), {
    ...{ do: 'retry', inMs: 0, counts: false },
  })
  assert.deepEqual([1, 2, 3, 4].map(outagePauseMs), [15_000, 30_000, MINUTE_MS, 2 * MINUTE_MS])
  assert.equal(outagePauseMs(1_000), 15 * MINUTE_MS)
})
