import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FixedWindowLimiter } from '../../src/lib/fixed-window-limiter.ts'

test('allows a number of attempts per window, then reports the time until its end', () => {
  const limiter = new FixedWindowLimiter(1000, 10)
  assert.deepEqual([limiter.count('a', 2, 0), limiter.count('a', 2, 400), limiter.count('a', 2, 700)], [0, 0, 300])
  assert.equal(limiter.count('b', 2, 700), 0, 'other subjects are independent')
  assert.equal(limiter.count('a', 2, 1000), 0)
})

test('a forgiven attempt does not count', () => {
  const limiter = new FixedWindowLimiter(1000, 10)
  limiter.count('a', 1, 0)
  limiter.forgive('a')
  assert.equal(limiter.count('a', 1, 1), 0)
  assert.equal(limiter.count('a', 1, 2), 998)
})

test('a clock set back ends the window', () => {
  const limiter = new FixedWindowLimiter(1000, 10)
  limiter.count('a', 1, 10_000)
  assert.equal(limiter.count('a', 1, 0), 0)
})

test('forgets the oldest subject beyond the maximum', () => {
  const limiter = new FixedWindowLimiter(1000, 2)
  for (const subject of ['a', 'b', 'c']) limiter.count(subject, 1, 0)
  assert.deepEqual([limiter.count('b', 1, 1), limiter.count('a', 1, 1)], [999, 0])
})
