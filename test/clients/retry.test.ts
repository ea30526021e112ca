import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PharosError, retryAfterSeconds } from '../../clients/typescript/src/errors.ts'
import { retryDelayMs } from '../../clients/typescript/src/retry.ts'

const limits = { maxRetries: 10, maxRetryMs: 60_000 }
const overloaded = new PharosError('unexpected_response', '', {
  response: { status: 503, headers: new Headers(), text: '' },
})

function limitedFor(seconds: number): PharosError {
  const headers = new Headers({ 'retry-after': `${seconds}` })
  return new PharosError('rate_limited', '', { response: { status: 429, headers, text: '' } })
}

test('delays double up to 8 s and are spread over their upper half', () => {
  const delays = (random: number) => [0, 1, 2, 3, 4, 5, 6].map((n) => retryDelayMs(overloaded, n, 0, limits, random))
  assert.deepEqual(delays(0), [250, 500, 1000, 2000, 4000, 4000, 4000])
  assert.deepEqual(delays(1), [500, 1000, 2000, 4000, 8000, 8000, 8000])
})

test('Retry-After is the shortest delay', () => {
  const limited = limitedFor(7)
  assert.equal(retryDelayMs(limited, 0, 0, limits, 0), 7000)
  assert.equal(retryDelayMs(limited, 0, 0, limits, 1), 7500)
})

test('no retry starts after the limit of time or count', () => {
  const limited = limitedFor(60)
  assert.equal(retryDelayMs(limited, 0, 0, limits, 0), 60_000)
  assert.equal(retryDelayMs(limited, 0, 1, limits, 0), undefined)
  assert.equal(retryDelayMs(overloaded, 10, 0, limits, 0), undefined)
})

test('Retry-After is seconds or a date', () => {
  const now = Date.parse('2026-11-16T12:00:00Z')
  assert.equal(retryAfterSeconds('120', now), 120)
  assert.equal(retryAfterSeconds('Mon, 16 Nov 2026 12:00:30 GMT', now), 30)
  assert.equal(retryAfterSeconds('Mon, 16 Nov 2026 11:00:00 GMT', now), 0)
  assert.equal(retryAfterSeconds('soon', now), undefined)
  assert.equal(retryAfterSeconds(null, now), undefined)
})
