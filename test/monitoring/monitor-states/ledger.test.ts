import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/lib/clock.ts'
import { countOf } from '../../../src/monitoring/monitor-states/histogram.ts'
import {
  accrue,
  categoryOf,
  countCheck,
  emptyTotals,
  type Ledger,
  openLedger,
  startOfHour,
  sumTotals,
  type TimeCategory,
  type UptimeTotals,
  uptimeRatio,
} from '../../../src/monitoring/monitor-states/ledger.ts'

const START = Date.UTC(2025, 2, 30, 23, 17, 5)

const category = fc.constantFrom<TimeCategory>('up', 'degraded', 'down', 'paused', 'maintenance', 'unknown')
const moment = fc.integer({ min: 0, max: 3 * DAY_MS }).map((ms) => START + ms)
const gap = fc.oneof(fc.integer({ min: 0, max: 2 * MINUTE_MS }), fc.integer({ min: 0, max: 2 * DAY_MS }))
const validity = fc.oneof(fc.integer({ min: 0, max: 3 * HOUR_MS }), fc.constant(Number.POSITIVE_INFINITY))

/** All time in any category. */
function accountedMs({ upMs, downMs, pausedMs, maintenanceMs }: UptimeTotals): number {
  return upMs + downMs + pausedMs + maintenanceMs
}

function accrued(from: Ledger, now: number, as: TimeCategory, validMs = Number.POSITIVE_INFINITY) {
  const { ledger, closed } = accrue(from, now, as, validMs)
  return { ledger, closed, all: [...closed, ledger].map(({ totals }) => totals) }
}

test('time is counted to the millisecond while the state is valid, and not beyond', () => {
  fc.assert(
    fc.property(moment, gap, category, validity, (from, ms, as, validMs) => {
      const { ledger, all } = accrued(openLedger(from), from + ms, as, validMs)
      const sum = sumTotals(all)
      const known = as === 'unknown' ? 0 : Math.min(ms, validMs)
      assert.equal(accountedMs(sum), known)
      assert.equal(sum.upMs, as === 'up' || as === 'degraded' ? known : 0)
      assert.equal(sum.degradedMs, as === 'degraded' ? known : 0)
      assert.equal(sum.downMs, as === 'down' ? known : 0)
      assert.equal(sum.pausedMs, as === 'paused' ? known : 0)
      assert.equal(sum.maintenanceMs, as === 'maintenance' ? known : 0)
      assert.equal(ledger.accountedUntil, from + ms)
      assert.equal(ledger.hourStart, startOfHour(from + ms))
    }),
  )
})

test('time is counted in the hour it lies in', () => {
  fc.assert(
    fc.property(moment, gap, validity, (from, ms, validMs) => {
      const { ledger, closed } = accrued(openLedger(from), from + ms, 'down', validMs)
      const validUntil = Math.min(from + ms, from + validMs)
      for (const { hourStart, totals } of [...closed, ledger]) {
        const inside = Math.max(0, Math.min(hourStart + HOUR_MS, validUntil) - Math.max(hourStart, from))
        assert.equal(totals.downMs, inside, new Date(hourStart).toISOString())
      }
    }),
  )
})

test('closed hours are in order, each once, none empty, and all before the open one', () => {
  fc.assert(
    fc.property(moment, fc.array(fc.tuple(gap, category, validity), { maxLength: 20 }), (from, stretches) => {
      let ledger = openLedger(from)
      let last = Number.NEGATIVE_INFINITY
      for (const [ms, as, validMs] of stretches) {
        const after = accrued(ledger, ledger.accountedUntil + ms, as, validMs)
        for (const { hourStart, totals } of after.closed) {
          assert.ok(hourStart > last && hourStart % HOUR_MS === 0)
          assert.ok(accountedMs(totals) > 0 && accountedMs(totals) <= HOUR_MS)
          last = hourStart
        }
        ledger = after.ledger
        assert.ok(
          ledger.hourStart > last &&
            ledger.hourStart <= ledger.accountedUntil &&
            ledger.accountedUntil <= ledger.hourStart + HOUR_MS,
        )
      }
    }),
  )
})

test('accruing in many steps or in one gives the same totals', () => {
  fc.assert(
    fc.property(moment, fc.array(gap, { minLength: 1, maxLength: 20 }), category, (from, gaps, as) => {
      let ledger = openLedger(from)
      const closed: UptimeTotals[] = []
      for (const ms of gaps) {
        const step = accrued(ledger, ledger.accountedUntil + ms, as)
        closed.push(...step.closed.map(({ totals }) => totals))
        ledger = step.ledger
      }
      const whole = accrued(openLedger(from), ledger.accountedUntil, as)
      assert.deepEqual(sumTotals([...closed, ledger.totals]), sumTotals(whole.all))
      assert.deepEqual(ledger, whole.ledger)
    }),
  )
})

test('the millisecond at which an hour starts belongs to that hour', () => {
  const noon = Date.UTC(2025, 5, 1, 12)
  const upTo = accrued(openLedger(noon - 1), noon, 'up')
  assert.deepEqual(upTo.closed, [{ hourStart: noon - HOUR_MS, totals: { ...emptyTotals, upMs: 1 } }])
  assert.deepEqual(upTo.ledger, { accountedUntil: noon, hourStart: noon, totals: emptyTotals })
  assert.deepEqual(accrued(openLedger(noon), noon, 'up').closed, [])
})

test('a clock that went back counts no time twice', () => {
  const forth = accrued(openLedger(START), START + MINUTE_MS, 'up').ledger
  const back = accrued(forth, START, 'up')
  assert.deepEqual(back.ledger, forth)
  assert.equal(accrued(back.ledger, START + 2 * MINUTE_MS, 'up').ledger.totals.upMs, 2 * MINUTE_MS)
})

test('unwatched hours are skipped: the longest gap that a Date can express ends at once', () => {
  // Visiting its 2.4 billion hours one by one would not end before the test is cancelled.
  const { closed, all } = accrued(openLedger(START), 8_640_000_000_000_000, 'up', 5 * MINUTE_MS)
  assert.equal(closed.length, 1)
  assert.equal(sumTotals(all).upMs, 5 * MINUTE_MS)
})

test('checks are counted in the hour they ended in, failures without their response time', () => {
  const ledger = countCheck(countCheck(countCheck(openLedger(START), false, 120), true, 90), false, null)
  assert.equal(ledger.totals.checks, 3)
  assert.equal(ledger.totals.failures, 1)
  assert.equal(countOf(ledger.totals.responses), 1)
  // An hour in which a check ended is stored even if all its time is unknown.
  assert.equal(accrued(ledger, START + HOUR_MS, 'unknown').closed.length, 1)
})

test('uptime excludes paused, maintenance and unknown time, and is null without a second of up and down time', () => {
  const left = { ...emptyTotals, pausedMs: 50_000, maintenanceMs: 50_000 }
  assert.equal(uptimeRatio({ ...left, upMs: 3000, downMs: 1000 }), 0.75)
  assert.equal(uptimeRatio(left), null)
  assert.equal(uptimeRatio({ ...left, upMs: 999 }), null)
  assert.equal(categoryOf('PAUSED', true), 'paused')
  assert.equal(categoryOf('PENDING', true), 'unknown')
  assert.equal(categoryOf('DOWN', true), 'maintenance')
  assert.deepEqual(
    (['UP', 'DEGRADED', 'DOWN'] as const).map((state) => categoryOf(state)),
    ['up', 'degraded', 'down'],
  )
})
