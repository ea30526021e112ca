import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Breaker, Breakers, breakerAfter, closed, isOpen } from '../../../src/notifications/deliveries/breaker.ts'

const missed = (times: number, now = 0): Breaker => {
  let breaker = closed
  for (let i = 0; i < times; i += 1) breaker = breakerAfter(breaker, 'unreachable', now)
  return breaker
}

test('four misses in a row open the breaker, and any answer closes it', () => {
  assert.ok(!isOpen(missed(3)))
  assert.equal(missed(3).pausedUntil, 0)
  assert.ok(isOpen(missed(4)))
  assert.deepEqual(breakerAfter(missed(20), 'answered', 0), closed)
})

test('pauses double up to half a minute', () => {
  const pausesMs = [4, 5, 6, 7, 8, 9, 10, 1000].map((times) => missed(times, 500).pausedUntil - 500)
  assert.deepEqual(pausesMs, [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000])
})

test('each endpoint has its own breaker, kept only while it fails', () => {
  const breakers = new Breakers()
  for (let i = 0; i < 4; i += 1) breakers.note('a', 'unreachable', 100)
  assert.deepEqual(breakers.of('a'), { isOpen: true, pausedUntil: 1100 })
  assert.deepEqual(breakers.of('b'), { isOpen: false, pausedUntil: 0 })
  breakers.note('a', 'answered', 200)
  assert.deepEqual(breakers.of('a'), { isOpen: false, pausedUntil: 0 })
})
