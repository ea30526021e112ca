import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stateCodes } from '../../../src/monitoring/checks/raw-results.ts'
import { blockOf, resultsIn, resultsInBlocks } from '../../../src/monitoring/checks/result-blocks.ts'

const START = Date.UTC(2025, 0, 1)

const results = Array.from({ length: 60 }, (_, i) => ({
  at: START + i * 29_999,
  state: (['UP', 'DEGRADED', 'DOWN'] as const)[i % 3] ?? 'UP',
  responseMs: i % 4 === 0 ? null : i === 5 ? 0 : i * 1_001,
}))

const blocks = [0, 7, 8, 30].map((from, i, all) => {
  const rows = results.slice(from, all[i + 1]).map(({ at, state, responseMs }) => {
    return { at, state: stateCodes[state], ms: responseMs }
  })
  return blockOf(1, rows.toReversed())
})

test('a block is decoded into the results it was made of, oldest first', () => {
  assert.deepEqual(blocks.flatMap(resultsIn), results)
})

test('blocks that a query has joined are decoded one after the other', () => {
  const text = blocks.map((block) => `${block.first_at}:${block.results}`).join(';')
  assert.deepEqual(resultsInBlocks(text), results)
  assert.deepEqual(resultsInBlocks('5:0U1'), [{ at: 5, state: 'UP', responseMs: 1 }])
})

test('a damaged block is an error that shows where', () => {
  for (const damaged of ['', 'U1', '0', '0X1', '0U1,', '0U1,,1U1', '0U1x', '0U-1', '0U1;', ' 0U1', '0u1', '0U1.5']) {
    assert.throws(() => resultsIn({ first_at: START, results: damaged }), /A stored result cannot be read/, damaged)
  }
  for (const damaged of ['', '0U1', ':0U1x', 'x:0U1', '1:', '1:0U1;', '1:0U1;2', '1:0U1;2:', '1:0U1:2:0U1', ';1:0U1']) {
    assert.throws(() => resultsInBlocks(damaged), /A stored result cannot be read/, damaged)
  }
  assert.throws(() => resultsIn({ first_at: START, results: '0U1,9?8' }), /9\?8/)
})
