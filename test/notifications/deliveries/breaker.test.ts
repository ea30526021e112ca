import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Breakers } from '../../../src/notifications/deliveries/breaker.ts'

const closed = { isOpen: false, pausedUntil: 0 }

test('four misses in a row open the breaker, with pauses that double up to half a minute', () => {
  const breakers = new Breakers()
  const states = Array.from({ length: 1000 }, () => {
    breakers.note('a', 'unreachable', 500)
    return breakers.of('a')
  })
  assert.deepEqual(states.slice(0, 3), Array(3).fill(closed))
  assert.ok(states.slice(3).every(({ isOpen }) => isOpen))
  const pausesMs = [4, 5, 6, 7, 8, 9, 10, 1000].map((misses) => (states[misses - 1]?.pausedUntil ?? 0) - 500)
  assert.deepEqual(pausesMs, [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000])
})

test('each receiver has its own breaker, and any answer closes it', () => {
  const breakers = new Breakers()
  for (let i = 0; i < 4; i += 1) breakers.note('a', 'unreachable', 100)
  assert.deepEqual(breakers.of('a'), { isOpen: true, pausedUntil: 1100 })
  assert.deepEqual(breakers.of('b'), closed)
  breakers.note('a', 'answered', 200)
  assert.deepEqual(breakers.of('a'), closed)
})
