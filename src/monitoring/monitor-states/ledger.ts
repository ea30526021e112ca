import { HOUR_MS } from '../../lib/clock.ts'
import type { Span } from '../maintenance-coverage/types.ts'
import { type Histogram, merged, withSample } from './histogram.ts'
import type { MonitorState } from './state.ts'

/** What became of the time of one hour or day, and what its checks found. Time that nobody watched is in none of these. */
export interface Tally {
  readonly upMs: number
  /** The part of the time up that was slow. */
  readonly degradedMs: number
  readonly downMs: number
  readonly pausedMs: number
  readonly maintenanceMs: number
  readonly checks: number
  readonly failures: number
  readonly responses: Histogram
}

export const emptyTally: Tally = {
  upMs: 0,
  degradedMs: 0,
  downMs: 0,
  pausedMs: 0,
  maintenanceMs: 0,
  checks: 0,
  failures: 0,
  responses: [],
}

/** The running account of a monitor: everything before `until` is told, the present hour is still open. */
export interface Ledger {
  readonly until: number
  readonly hour: number
  readonly tally: Tally
}

export interface ClosedHour {
  readonly hour: number
  readonly tally: Tally
}

export function openLedger(now: number): Ledger {
  return { until: now, hour: hourOf(now), tally: emptyTally }
}

export function hourOf(at: number): number {
  return Math.floor(at / HOUR_MS) * HOUR_MS
}

/** What a stretch of time was spent in. Before the first word of a check nothing is known. */
export type Spent = 'up' | 'degraded' | 'down' | 'paused' | 'maintenance' | 'unknown'

export function spentIn(state: MonitorState, inMaintenance: boolean): Spent {
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
 * Tells the account up to `now`. A state is believed for `believedMs` after it was last seen; what lies beyond (nobody
 * was watching, because the service itself was away) counts as neither up nor down. Of what is believed, the time in
 * maintenance (spans in order, apart from each other) is split off exactly.
 */
export function accrue(
  ledger: Ledger,
  now: number,
  spent: Spent,
  believedMs: number,
  maintenance: readonly Span[] = [],
): Accrued {
  if (maintenance.length === 0 || spent === 'paused' || spent === 'unknown') return tell(ledger, now, spent, believedMs)
  const believedUntil = ledger.until + believedMs
  const closed: ClosedHour[] = []
  let told = ledger
  const tellUntil = (until: number, as: Spent): void => {
    const piece = tell(told, Math.min(until, now), as, believedUntil - told.until)
    told = piece.ledger
    closed.push(...piece.closed)
  }
  for (const { from, to } of maintenance) {
    tellUntil(from, spent)
    tellUntil(to, 'maintenance')
  }
  tellUntil(now, spent)
  return { ledger: told, closed }
}

function tell(ledger: Ledger, now: number, spent: Spent, believedMs: number): Accrued {
  const closed: ClosedHour[] = []
  let { until, hour, tally } = ledger
  const believedUntil = Math.min(now, until + believedMs)
  while (until < now) {
    const to = Math.min(now, hour + HOUR_MS)
    tally = withTime(tally, spent, Math.max(0, Math.min(to, believedUntil) - until))
    until = to
    if (to === hour + HOUR_MS) {
      if (!isEmpty(tally)) closed.push({ hour, tally })
      // Hours of which nothing is known need not be walked through one by one.
      hour = until >= believedUntil ? hourOf(now) : to
      until = Math.max(until, hour)
      tally = emptyTally
    }
  }
  return { ledger: { until: Math.max(until, now), hour, tally }, closed }
}

function withTime(tally: Tally, spent: Spent, ms: number): Tally {
  if (ms === 0) return tally
  switch (spent) {
    case 'up':
      return { ...tally, upMs: tally.upMs + ms }
    case 'degraded':
      return { ...tally, upMs: tally.upMs + ms, degradedMs: tally.degradedMs + ms }
    case 'down':
      return { ...tally, downMs: tally.downMs + ms }
    case 'paused':
      return { ...tally, pausedMs: tally.pausedMs + ms }
    case 'maintenance':
      return { ...tally, maintenanceMs: tally.maintenanceMs + ms }
    case 'unknown':
      return tally
  }
}

export function withCheck(ledger: Ledger, failed: boolean, responseMs: number | null): Ledger {
  const { tally } = ledger
  return {
    ...ledger,
    tally: {
      ...tally,
      checks: tally.checks + 1,
      failures: tally.failures + (failed ? 1 : 0),
      responses: failed || responseMs === null ? tally.responses : withSample(tally.responses, responseMs),
    },
  }
}

function isEmpty(tally: Tally): boolean {
  return tally.checks === 0 && tally.upMs + tally.downMs + tally.pausedMs + tally.maintenanceMs === 0
}

export function sumOf(tallies: readonly Tally[]): Tally {
  return {
    upMs: total(tallies, (tally) => tally.upMs),
    degradedMs: total(tallies, (tally) => tally.degradedMs),
    downMs: total(tallies, (tally) => tally.downMs),
    pausedMs: total(tallies, (tally) => tally.pausedMs),
    maintenanceMs: total(tallies, (tally) => tally.maintenanceMs),
    checks: total(tallies, (tally) => tally.checks),
    failures: total(tallies, (tally) => tally.failures),
    responses: merged(tallies.map((tally) => tally.responses)),
  }
}

function total(tallies: readonly Tally[], of: (tally: Tally) => number): number {
  return tallies.reduce((sum, tally) => sum + of(tally), 0)
}

/** Up time over up and down time; null where nothing is known. Paused and maintenance time are left out. */
export function uptimeOf({ upMs, downMs }: Tally): number | null {
  return upMs + downMs === 0 ? null : upMs / (upMs + downMs)
}
