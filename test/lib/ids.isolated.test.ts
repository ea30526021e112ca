import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../src/lib/ids.ts'

const START = Date.now() + 10_000_000

test('ids sort by creation: within a millisecond, when its counter overflows, and when the clock steps back', () => {
  const times = [
    ...Array.from({ length: 10_000 }, () => START),
    ...Array.from({ length: 100 }, (_, i) => START + 50 + i),
    ...Array.from({ length: 6_000 }, () => START - 5_000),
    START + 500,
  ]
  const ids = times.map((now) => newId('mon', now))
  assert.deepEqual(ids, ids.toSorted())
  assert.equal(new Set(ids).size, ids.length)
})

test('an id is a prefix and a UUIDv7 as in RFC 9562', () => {
  const now = START + 1_000_000
  for (let i = 0; i < 500; i += 1) {
    const id = newId('org', now + i)
    assert.match(id, /^org_[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/)
    assert.equal(Number.parseInt(id.slice(4, 16), 16), now + i)
  }
})

test('ids of one millisecond cannot be guessed from each other', () => {
  const tails = Array.from({ length: 1_000 }, () => newId('key', START + 2_000_000).slice(-15))
  assert.equal(new Set(tails).size, 1_000)
  for (let digit = 0; digit < 15; digit += 1) {
    assert.equal(new Set(tails.map((tail) => tail[digit])).size, 16, `digit ${digit} has all values`)
  }
})
