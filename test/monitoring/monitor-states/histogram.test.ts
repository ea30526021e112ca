import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  bucketOf,
  type Histogram,
  histogramText,
  merged,
  percentile,
  readHistogram,
  withSample,
} from '../../../src/monitoring/monitor-states/histogram.ts'

const responses = fc.array(fc.oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 120_000 })), {
  minLength: 1,
  maxLength: 300,
})
const share = fc.double({ min: 0.01, max: 1, noNaN: true })

const of = (times: readonly number[]): Histogram => times.reduce(withSample, [] as Histogram)

function nearestRank(times: readonly number[], part: number): number {
  return times.toSorted((a, b) => a - b)[Math.max(1, Math.ceil(part * times.length)) - 1] as number
}

test('a percentile is within 2.5 % of the exact nearest rank, and rounded to a millisecond', () => {
  fc.assert(
    fc.property(responses, share, (times, part) => {
      const exact = nearestRank(times, part)
      const read = percentile(of(times), part) as number
      assert.ok(Number.isInteger(read))
      assert.ok(Math.abs(read - exact) <= exact * 0.025 + 0.5, `${read} for ${exact}`)
    }),
  )
})

test('short times, which rounding would hurt most, are read exactly', () => {
  for (let ms = 1; ms < 20; ms += 1) assert.equal(percentile(of([ms]), 0.5), ms)
  assert.equal(percentile(of([0]), 0.5), 1)
})

test('merging the histograms of two hours gives the histogram of both', () => {
  fc.assert(
    fc.property(responses, responses, (a, b) => {
      assert.deepEqual(merged([of(a), of(b)]), merged([of([...b, ...a])]))
      assert.deepEqual(merged([of(a)]), of(a))
    }),
  )
  assert.deepEqual(merged([]), [])
})

test('a histogram survives being stored', () => {
  fc.assert(
    fc.property(responses, share, (times, part) => {
      assert.deepEqual(readHistogram(histogramText(of(times))), of(times))
      assert.equal(percentile(readHistogram(histogramText(of(times))), part), percentile(of(times), part))
    }),
  )
})

test('buckets are monotonic, and two minutes fit in 240 of them', () => {
  fc.assert(fc.property(fc.integer({ min: 0, max: 120_000 }), (ms) => assert.ok(bucketOf(ms) <= bucketOf(ms + 1))))
  assert.ok(bucketOf(120_000) <= 240)
})

test('without samples there is no percentile', () => {
  assert.equal(percentile([], 0.95), null)
})

test('buckets are ascending and unique, whatever the order of the samples', () => {
  fc.assert(
    fc.property(responses, (times) => {
      const buckets = of(times).filter((_, i) => i % 2 === 0)
      assert.deepEqual(
        buckets,
        [...new Set(times.map(bucketOf))].sort((a, b) => a - b),
      )
    }),
  )
})
