import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS, HOUR_MS } from '../../../src/lib/clock.ts'
import {
  addResult,
  type Block,
  pendingResults,
  type ResultLog,
  resultStates,
  resultsIn,
  type StoredResult,
} from '../../../src/monitoring/monitor-states/result-log.ts'

const START = Date.UTC(2025, 0, 1)

/** Adds results one after the other. The blocks are those of the rows that they are appended to. */
function addAll(results: readonly StoredResult[]) {
  const rows = new Map<number, string>()
  let log: ResultLog | null = null
  let longestPending = 0
  for (const result of results) {
    const added = addResult(log, result)
    log = added.log
    longestPending = Math.max(longestPending, log.pending.length)
    for (const { firstAt, results: text } of added.toStore) {
      const before = rows.get(firstAt)
      rows.set(firstAt, before === undefined ? text : `${before},${text}`)
    }
  }
  const blocks: Block[] = [...rows].map(([firstAt, text]) => ({ firstAt, results: text }))
  return { blocks, log, longestPending }
}

const everyHalfMinute = (count: number, from = START): StoredResult[] =>
  Array.from({ length: count }, (_, i) => ({
    at: from + i * 30_000 + (i % 7),
    state: resultStates[i % 4] as 'UP',
    responseMs: i % 5 === 0 ? null : i,
  }))

test('every result is in a block or pending, in order', () => {
  const results = everyHalfMinute(5_000)
  const { blocks, log } = addAll(results)
  assert.deepEqual([...blocks.flatMap(resultsIn), ...pendingResults(log)], results)
})

test('a state row has at most 130 characters of results, a block at most about 940, and blocks no results of two days', () => {
  const { blocks, longestPending } = addAll(everyHalfMinute(5_000, START + 23 * HOUR_MS))
  assert.ok(longestPending <= 130, `${longestPending}`)
  const longest = Math.max(...blocks.map(({ results }) => results.length))
  assert.ok(longest > 800 && longest < 960, `${longest}`)
  for (const block of blocks) {
    const days = new Set(resultsIn(block).map(({ at }) => Math.floor(at / DAY_MS)))
    assert.equal(days.size, 1)
  }
})

test('a clock that is set back begins a new block', () => {
  const results = [...everyHalfMinute(3, START + HOUR_MS), ...everyHalfMinute(3)]
  const { blocks, log } = addAll(results)
  assert.deepEqual([...blocks.flatMap(resultsIn), ...pendingResults(log)], results)
  assert.equal(log?.firstAt, START)
})

test('text that is no result is an error', () => {
  for (const results of ['x', '5', '5U1,', '5Z1', '-5U1', '5u1'])
    assert.throws(() => resultsIn({ firstAt: 0, results }), /A stored result cannot be read/, results)
})
