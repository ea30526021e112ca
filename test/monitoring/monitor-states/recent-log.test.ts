import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  LOG_CHARACTERS,
  logLine,
  type RecentResult,
  readLog,
} from '../../../src/monitoring/monitor-states/recent-log.ts'

const NOW = Date.UTC(2026, 5, 1)

const result = fc.record(
  {
    at: fc.integer({ min: NOW, max: NOW + 1e11 }),
    state: fc.constantFrom('UP', 'DEGRADED', 'DOWN'),
    responseMs: fc.option(fc.integer({ min: 0, max: 120_000 })),
  },
  { noNullPrototype: true },
) as fc.Arbitrary<RecentResult>

/** What the database makes of the lines, one check after the other. */
function written(results: readonly RecentResult[]): string {
  return results.reduce((log, one) => (logLine(one) + log).slice(0, LOG_CHARACTERS), '')
}

test('results are read newest first, and lines that were cut off are left out', () => {
  fc.assert(
    fc.property(fc.array(result, { maxLength: 100 }), (results) => {
      const read = readLog(written(results))
      assert.deepEqual(read, results.toReversed().slice(0, read.length))
      assert.ok(read.length >= Math.min(results.length, 40))
    }),
  )
})

test('about forty results fit', () => {
  const many = Array.from({ length: 100 }, (_, i) => ({ at: NOW + i, state: 'UP' as const, responseMs: 1234 }))
  assert.ok(readLog(written(many)).length >= 40)
})

test('a log of an earlier version, with errors, is read', () => {
  const line = logLine({ at: NOW, state: 'DOWN', responseMs: 7 }).replace('\n', ' Connection refused\n')
  assert.deepEqual(readLog(line), [{ at: NOW, state: 'DOWN', responseMs: 7 }])
})
