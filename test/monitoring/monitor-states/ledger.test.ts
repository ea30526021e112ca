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

const spent = fc.constantFrom<TimeCategory>('up', 'degraded', 'down', 'paused', 'maintenance', 'unknown')
const moment = fc.integer({ min: 0, max: 3 * DAY_MS }).map((ms) => START + ms)
const gap = fc.oneof(fc.integer({ min: 0, max: 2 * MINUTE_MS }), fc.integer({ min: 0, max: 2 * DAY_MS }))
const belief = fc.oneof(fc.integer({ min: 0, max: 3 * HOUR_MS }), fc.constant(Number.POSITIVE_INFINITY))

/** All time that an account knows of, whatever it was spent in. */
function told({ upMs, downMs, pausedMs, maintenanceMs }: UptimeTotals): number {
  return upMs + downMs + pausedMs + maintenanceMs
}

function tell(from: Ledger, now: number, as: TimeCategory, believedMs = Number.POSITIVE_INFINITY) {
  const { ledger, closed } = accrue(from, now, as, believedMs)
  return { ledger, closed, tallies: [...closed.map(({ totals: tally }) => tally), ledger.totals] }
}

test('the time of a stretch is told exactly, and nothing beyond what is believed', () => {
  fc.assert(
    fc.property(moment, gap, spent, belief, (from, ms, as, believedMs) => {
      const { ledger, tallies } = tell(openLedger(from), from + ms, as, believedMs)
      const sum = sumTotals(tallies)
      const known = as === 'unknown' ? 0 : Math.min(ms, believedMs)
      assert.equal(told(sum), known)
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

test('every stretch goes to the hours it lies in', () => {
  fc.assert(
    fc.property(moment, gap, belief, (from, ms, believedMs) => {
      const { ledger, closed } = tell(openLedger(from), from + ms, 'down', believedMs)
      const believedUntil = Math.min(from + ms, from + believedMs)
      for (const { hour, tally } of [...closed, ledger]) {
        const inside = Math.max(0, Math.min(hour + HOUR_MS, believedUntil) - Math.max(hour, from))
        assert.equal(tally.downMs, inside, new Date(hour).toISOString())
      }
    }),
  )
})

test('closed hours are in order, each once, none empty, and all before the open one', () => {
  fc.assert(
    fc.property(moment, fc.array(fc.tuple(gap, spent, belief), { maxLength: 20 }), (from, stretches) => {
      let ledger = openLedger(from)
      let last = Number.NEGATIVE_INFINITY
      for (const [ms, as, believedMs] of stretches) {
        const after = tell(ledger, ledger.accountedUntil + ms, as, believedMs)
        for (const { hourStart: hour, totals: tally } of after.closed) {
          assert.ok(hour > last && hour % HOUR_MS === 0)
          assert.ok(told(tally) > 0 && told(tally) <= HOUR_MS)
          last = hour
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

test('telling in many steps or in one comes to the same', () => {
  fc.assert(
    fc.property(moment, fc.array(gap, { minLength: 1, maxLength: 20 }), spent, (from, gaps, as) => {
      let ledger = openLedger(from)
      const tallies: UptimeTotals[] = []
      for (const ms of gaps) {
        const step = tell(ledger, ledger.accountedUntil + ms, as)
        tallies.push(...step.closed.map(({ totals: tally }) => tally))
        ledger = step.ledger
      }
      const whole = tell(openLedger(from), ledger.accountedUntil, as)
      assert.deepEqual(sumTotals([...tallies, ledger.totals]), sumTotals(whole.tallies))
      assert.deepEqual(ledger, whole.ledger)
    }),
  )
})

test('an hour that begins to the millisecond belongs to itself', () => {
  const noon = Date.UTC(2025, 5, 1, 12)
  const upTo = tell(openLedger(noon - 1), noon, 'up')
  assert.deepEqual(upTo.closed, [{ hour: noon - HOUR_MS, tally: { ...emptyTotals, upMs: 1 } }])
  assert.deepEqual(upTo.ledger, { until: noon, hour: noon, tally: emptyTotals })
  assert.deepEqual(tell(openLedger(noon), noon, 'up').closed, [])
})

test('a clock that went back tells nothing twice', () => {
  const forth = tell(openLedger(START), START + MINUTE_MS, 'up').ledger
  const back = tell(forth, START, 'up')
  assert.deepEqual(back.ledger, forth)
  assert.equal(tell(back.ledger, START + 2 * MINUTE_MS, 'up').ledger.totals.upMs, 2 * MINUTE_MS)
})

test('a gap of a hundred years that nobody watched costs no more than one of an hour', () => {
  const { closed, ledger } = tell(openLedger(START), START + 36_525 * DAY_MS, 'up', 5 * MINUTE_MS)
  assert.equal(closed.length, 1)
  assert.equal(sumTotals([...closed.map(({ totals: tally }) => tally), ledger.totals]).upMs, 5 * MINUTE_MS)
  const startedAt = performance.now()
  for (let i = 0; i < 10_000; i += 1) tell(openLedger(START), START + 36_525 * DAY_MS, 'down', 5 * MINUTE_MS)
  // 876,600 hours walked through one by one would take minutes.
  assert.ok(performance.now() - startedAt < 5_000)
})

test('checks are counted where they ended, failures without their response time', () => {
  const ledger = countCheck(countCheck(countCheck(openLedger(START), false, 120), true, 90), false, null)
  assert.equal(ledger.totals.checks, 3)
  assert.equal(ledger.totals.failures, 1)
  assert.equal(countOf(ledger.totals.responses), 1)
  // An hour in which a check ended is closed even if no time of it is known.
  assert.equal(tell(ledger, START + HOUR_MS, 'unknown').closed.length, 1)
})

test('uptime leaves paused, maintenance and unknown time out; without up and down time there is none', () => {
  assert.equal(uptimeRatio({ ...emptyTotals, upMs: 3, downMs: 1, pausedMs: 50, maintenanceMs: 50 }), 0.75)
  assert.equal(uptimeRatio({ ...emptyTotals, pausedMs: 50 }), null)
  assert.equal(categoryOf('PAUSED', true), 'paused')
  assert.equal(categoryOf('PENDING', true), 'unknown')
  assert.equal(categoryOf('DOWN', true), 'maintenance')
  assert.deepEqual(
    (['UP', 'DEGRADED', 'DOWN'] as const).map((state) => categoryOf(state, false)),
    ['up', 'degraded', 'down'],
  )
})
