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

test('counts without a maximum, and reports when the window resets', () => {
  const limiter = new FixedWindowLimiter(1000, 10)
  assert.deepEqual(limiter.use('a', 0), { used: 1, resetsInMs: 1000 })
  assert.deepEqual(limiter.use('a', 999), { used: 2, resetsInMs: 1 })
  assert.deepEqual(limiter.use('a', 1000), { used: 1, resetsInMs: 1000 })
})

test('pruning forgets only windows that have ended', () => {
  const limiter = new FixedWindowLimiter(1000, 10)
  limiter.use('a', 0)
  limiter.use('b', 500)
  assert.deepEqual([limiter.prune(999), limiter.prune(1000), limiter.prune(1000)], [0, 1, 0])
  assert.equal(limiter.use('b', 1000).used, 2)
})
