import { DAY_MS, HOUR_MS } from '../../lib/clock.ts'
import type { DbWork } from '../../storage/query.ts'
import type { UptimeTotals } from '../monitor-states/ledger.ts'
import { type Period, periodsBetween, type UptimeStats, uptimeStatsOf } from './uptime.ts'

/** Hours are kept for eight days. */
const BY_HOUR_MS = 7 * DAY_MS

/** Statistics from `from` up to `to`. Hours or days at the edges count in proportion to the part that lies between. */
export function* uptimeBetween(num: number, from: number, to: number, now: number): DbWork<UptimeStats> {
  const until = Math.min(to, now)
  if (from >= until) return uptimeStatsOf([])
  const unitMs = from >= now - BY_HOUR_MS ? HOUR_MS : DAY_MS
  const start = Math.floor(from / unitMs) * unitMs
  const periods = yield* periodsBetween(num, unitMs, { from: start, to: until }, now)
  return uptimeStatsOf(periods.map((period) => part(period, unitMs, { from, to: until, now })))
}

/** The part of a period between two times. The current period has lasted until now. */
function part(
  { startAt, totals }: Period,
  unitMs: number,
  { from, to, now }: { readonly from: number; readonly to: number; readonly now: number },
): UptimeTotals {
  const endAt = Math.min(startAt + unitMs, now)
  const share = (Math.min(endAt, to) - Math.max(startAt, from)) / (endAt - startAt)
  if (!(share < 1)) return totals
  const of = (amount: number) => Math.round(amount * Math.max(0, share))
  return {
    upMs: of(totals.upMs),
    degradedMs: of(totals.degradedMs),
    downMs: of(totals.downMs),
    pausedMs: of(totals.pausedMs),
    maintenanceMs: of(totals.maintenanceMs),
    checks: of(totals.checks),
    failures: of(totals.failures),
    // Response times are spread evenly over the period, so their percentiles do not change.
    responses: totals.responses,
  }
}
