import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isoTimestamp } from '../../src/lib/timestamp.ts'

test('times are written like those of Date, also before 1970 and after 9999', () => {
  for (const ms of [0, -1, 1_700_000_000_000, 1_709_251_199_999, 1_709_251_199_999.7, 253_402_300_800_000, -1e13]) {
    assert.equal(isoTimestamp(ms), new Date(Math.floor(ms)).toISOString())
  }
  assert.throws(() => isoTimestamp(Number.NaN), RangeError)
})
