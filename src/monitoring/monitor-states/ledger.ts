import { HOUR_MS } from '../../lib/clock.ts'
import type { Span } from '../maintenance-coverage/types.ts'
import { type Histogram, merged, withoutEmpty, withSample } from './histogram.ts'
import type { MonitorState } from './state.ts'

/** Time by category and checks of one hour or day. Unwatched time is in none of the categories. */
export interface UptimeTotals {
  readonly upMs: number
  /** The part of `upMs` in which the monitor was DEGRADED. */
  readonly degradedMs: number
  readonly downMs: number
  readonly pausedMs: number
  readonly maintenanceMs: number
  readonly checks: number
  readonly failures: number
  readonly responses: Histogram
}

export const emptyTotals: UptimeTotals = {
  upMs: 0,
  degradedMs: 0,
  downMs: 0,
  pausedMs: 0,
  maintenanceMs: 0,
  checks: 0,
  failures: 0,
  responses: [],
}

/** A monitor's running account: all time before `accountedUntil` is counted, the hour at `hourStart` is still open. */
export interface Ledger {
  readonly accountedUntil: number
  readonly hourStart: number
  readonly totals: UptimeTotals
}

export interface ClosedHour {
  readonly hourStart: number
  readonly totals: UptimeTotals
}

export function openLedger(now: number): Ledger {
  return { accountedUntil: now, hourStart: startOfHour(now), totals: emptyTotals }
}

export function startOfHour(at: number): number {
  return Math.floor(at / HOUR_MS) * HOUR_MS
}

export type TimeCategory = 'up' | 'degraded' | 'down' | 'paused' | 'maintenance' | 'unknown'

/** What time in this state counts as. */
export function categoryOf(state: MonitorState, inMaintenance = false): TimeCategory {
  if (state === 'PAUSED') return 'paused'
  if (state === 'PENDING') return 'unknown'
  if (inMaintenance) return 'maintenance'
  return state === 'UP' ? 'up' : state === 'DEGRADED' ? 'degraded' : 'down'
}

export interface Accrued {
  readonly ledger: Ledger
  readonly closed: readonly ClosedHour[]
}

/**
 * Counts the time up to `now`. The state is valid for `validMs` after the ledger's end; time beyond that was not watched,
 * because the service itself was away, and counts as nothing. Valid time within the maintenance spans, which are sorted
 * and do not touch, counts as maintenance; paused and unknown time does not.
 */
export function accrue(
  ledger: Ledger,
  now: number,
  category: TimeCategory,
  validMs: number,
  maintenance: readonly Span[] = [],
): Accrued {
  if (maintenance.length === 0 || category === 'paused' || category === 'unknown') {
    return accrueAs(category, ledger, now, validMs)
  }
  const validUntil = ledger.accountedUntil + validMs
  const closed: ClosedHour[] = []
  let open = ledger
  const countUntil = (until: number, as: TimeCategory): void => {
    const piece = accrueAs(as, open, Math.min(until, now), validUntil - open.accountedUntil)
    open = piece.ledger
    closed.push(...piece.closed)
  }
  for (const { from, to } of maintenance) {
    countUntil(from, category)
    countUntil(to, 'maintenance')
  }
  countUntil(now, category)
  return { ledger: open, closed }
}

function accrueAs(category: TimeCategory, ledger: Ledger, now: number, validMs: number): Accrued {
  const closed: ClosedHour[] = []
  let { accountedUntil, hourStart, totals } = ledger
  const validUntil = Math.min(now, accountedUntil + validMs)
  while (accountedUntil < now) {
    const to = Math.min(now, hourStart + HOUR_MS)
    totals = withTime(totals, category, Math.max(0, Math.min(to, validUntil) - accountedUntil))
    accountedUntil = to
    if (to === hourStart + HOUR_MS) {
      if (!isEmpty(totals)) closed.push({ hourStart, totals })
      // Unwatched hours are skipped, not visited one by one.
      hourStart = accountedUntil >= validUntil ? startOfHour(now) : to
      accountedUntil = Math.max(accountedUntil, hourStart)
      totals = emptyTotals
    }
  }
  return { ledger: { accountedUntil: Math.max(accountedUntil, now), hourStart, totals }, closed }
}

function withTime(totals: UptimeTotals, category: TimeCategory, ms: number): UptimeTotals {
  if (ms === 0) return totals
  switch (category) {
    case 'up':
      return { ...totals, upMs: totals.upMs + ms }
    case 'degraded':
      return { ...totals, upMs: totals.upMs + ms, degradedMs: totals.degradedMs + ms }
    case 'down':
      return { ...totals, downMs: totals.downMs + ms }
    case 'paused':
      return { ...totals, pausedMs: totals.pausedMs + ms }
    case 'maintenance':
      return { ...totals, maintenanceMs: totals.maintenanceMs + ms }
    case 'unknown':
      return totals
  }
}

export function countCheck(ledger: Ledger, failed: boolean, responseMs: number | null): Ledger {
  const { totals } = ledger
  return {
    ...ledger,
    totals: {
      ...totals,
      checks: totals.checks + 1,
      failures: totals.failures + (failed ? 1 : 0),
      responses: failed || responseMs === null ? totals.responses : withSample(totals.responses, responseMs),
    },
  }
}

function isEmpty({ checks, upMs, downMs, pausedMs, maintenanceMs }: UptimeTotals): boolean {
  return checks === 0 && upMs + downMs + pausedMs + maintenanceMs === 0
}

export function sumTotals(list: readonly UptimeTotals[]): UptimeTotals {
  const sum = (name: Exclude<keyof UptimeTotals, 'responses'>) => list.reduce((total, item) => total + item[name], 0)
  return {
    upMs: sum('upMs'),
    degradedMs: sum('degradedMs'),
    downMs: sum('downMs'),
    pausedMs: sum('pausedMs'),
    maintenanceMs: sum('maintenanceMs'),
    checks: sum('checks'),
    failures: sum('failures'),
    responses: merged(list.map(({ responses }) => responses)),
  }
}

/** What is left of a sum without one of its parts. */
export function difference(sum: UptimeTotals, part: UptimeTotals): UptimeTotals {
  const negative = part.responses.map((value, at) => (at % 2 === 0 ? value : -value))
  return {
    upMs: sum.upMs - part.upMs,
    degradedMs: sum.degradedMs - part.degradedMs,
    downMs: sum.downMs - part.downMs,
    pausedMs: sum.pausedMs - part.pausedMs,
    maintenanceMs: sum.maintenanceMs - part.maintenanceMs,
    checks: sum.checks - part.checks,
    failures: sum.failures - part.failures,
    responses: withoutEmpty(merged([sum.responses, negative])),
  }
}

/** Less is no measurement: a monitor that is paused after its first check was up for some milliseconds. */
const LEAST_MEASURED_MS = 1000

/** Up time over up and down time, 0 to 1; null if neither was measured. */
export function uptimeRatio({ upMs, downMs }: Pick<UptimeTotals, 'upMs' | 'downMs'>): number | null {
  return upMs + downMs < LEAST_MEASURED_MS ? null : upMs / (upMs + downMs)
}
