import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { HOUR_MS } from '../../../src/lib/clock.ts'
import { isWithin, mergeSpans } from '../../../src/monitoring/maintenance-coverage/coverage.ts'
import type { Span } from '../../../src/monitoring/maintenance-coverage/types.ts'
import {
  accrue,
  openLedger,
  sumTotals,
  type TimeCategory,
  type UptimeTotals,
} from '../../../src/monitoring/monitor-states/ledger.ts'

const START = Date.UTC(2026, 2, 28, 22, 17, 5, 123)

const spans = fc
  .array(fc.tuple(fc.integer({ min: -2 * HOUR_MS, max: 30 * HOUR_MS }), fc.integer({ min: 1, max: 4 * HOUR_MS })), {
    maxLength: 6,
  })
  .map((list) => list.map(([from, ms]): Span => ({ from: START + from, to: START + from + ms })))

const spent = fc.constantFrom<TimeCategory>('up', 'degraded', 'down', 'paused', 'unknown')
const belief = fc.oneof(fc.integer({ min: 0, max: 30 * HOUR_MS }), fc.constant(Number.POSITIVE_INFINITY))

/** The expected ledger, computed span by span. */
function naive(from: number, to: number, as: TimeCategory, believedMs: number, maintenance: readonly Span[]) {
  const hours = new Map<number, { normal: number; maintenance: number }>()
  const believedUntil = Math.min(to, from + believedMs)
  const bounds = new Set([from, believedUntil, ...maintenance.flatMap((span) => [span.from, span.to])])
  for (let hour = Math.ceil(from / HOUR_MS) * HOUR_MS; hour < believedUntil; hour += HOUR_MS) bounds.add(hour)
  const cuts = [...bounds].filter((cut) => cut >= from && cut <= believedUntil).sort((a, b) => a - b)
  for (const [i, cut] of cuts.slice(0, -1).entries()) {
    const ms = (cuts[i + 1] as number) - cut
    const hour = Math.floor(cut / HOUR_MS) * HOUR_MS
    const sum = hours.get(hour) ?? { normal: 0, maintenance: 0 }
    const splits = as !== 'paused' && as !== 'unknown'
    if (splits && maintenance.some((span) => span.from <= cut && cut < span.to)) sum.maintenance += ms
    else if (as !== 'unknown') sum.normal += ms
    hours.set(hour, sum)
  }
  return hours
}

const normalMs = (as: TimeCategory, tally: UptimeTotals): number =>
  as === 'down' ? tally.downMs : as === 'paused' ? tally.pausedMs : tally.upMs

test('time in maintenance is separated to the millisecond, hour by hour, and only where the state is valid', () => {
  fc.assert(
    fc.property(spans, fc.integer({ min: 0, max: 32 * HOUR_MS }), spent, belief, (list, ms, as, believedMs) => {
      const { ledger, closed } = accrue(openLedger(START), START + ms, as, believedMs, mergeSpans(list))
      const expected = naive(START, START + ms, as, believedMs, list)
      const counted = new Map([...closed, ledger].map(({ hourStart, totals }) => [hourStart, totals]))
      assert.equal(counted.size, closed.length + 1, 'each hour once')
      for (const [hour, { normal, maintenance }] of expected) {
        const tally = counted.get(hour)
        assert.deepEqual([tally ? normalMs(as, tally) : 0, tally?.maintenanceMs ?? 0], [normal, maintenance])
      }
      const sum = sumTotals([...counted.values()])
      const total = [...expected.values()].reduce((all, hour) => all + hour.normal + hour.maintenance, 0)
      assert.equal(sum.upMs + sum.downMs + sum.pausedMs + sum.maintenanceMs, total, 'and nothing else')
      assert.equal(sum.degradedMs, as === 'degraded' ? sum.upMs : 0)
      assert.equal(ledger.accountedUntil, START + ms)
    }),
    { numRuns: 1_000 },
  )
})

test('overlapping and touching spans are merged without changing what they cover', () => {
  fc.assert(
    fc.property(spans, fc.integer({ min: -3 * HOUR_MS, max: 35 * HOUR_MS }), (list, offset) => {
      const joined = mergeSpans(list)
      joined.forEach((span, i) => {
        assert.ok(span.from < span.to)
        assert.ok(i === 0 || span.from > (joined[i - 1] as Span).to)
      })
      for (const at of [START + offset, ...list.flatMap(({ from, to }) => [from - 1, from, to - 1, to])]) {
        const inOne = list.some(({ from, to }) => from <= at && at < to)
        assert.equal(isWithin(joined, at), inOne)
      }
    }),
  )
})
