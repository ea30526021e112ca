import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isoTimestamp } from '../../src/lib/timestamp.ts'

test('a moment is told as Date tells it', () => {
  const moment = fc.integer({ min: 0, max: Date.UTC(2100, 0) })
  fc.assert(
    fc.property(moment, (ms) => assert.equal(isoTimestamp(ms), new Date(ms).toISOString())),
    { numRuns: 1000 },
  )
})

test('midnight belongs to the day that begins, whichever day was told before', () => {
  const midnight = Date.UTC(2026, 1, 28) + 86_400_000
  for (const ms of [midnight - 1, midnight, midnight + 1, midnight - 1]) {
    assert.equal(isoTimestamp(ms), new Date(ms).toISOString())
  }
})

test('a part of a millisecond is left out', () => {
  assert.equal(isoTimestamp(1_799.9), new Date(1_799.9).toISOString())
})
