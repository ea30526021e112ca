import { sql } from 'kysely'
import { DAY_MS, HOUR_MS } from '../../lib/clock.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { type UptimeTotals, uptimeRatio } from '../monitor-states/ledger.ts'
import { NUMS_AT_ONCE, openHours, type Period, periodsBetween, type UptimeStats, uptimeStatsOf } from './uptime.ts'

/** Hours are kept for eight days. */
export const BY_HOUR_MS = 7 * DAY_MS

/** Statistics from `from` up to `to`. Hours or days at the edges count in proportion to the part that lies between. */
export function* uptimeBetween(num: number, from: number, to: number, now: number): DbWork<UptimeStats> {
  const until = Math.min(to, now)
  if (from >= until) return uptimeStatsOf([])
  const unitMs = from >= now - BY_HOUR_MS ? HOUR_MS : DAY_MS
  const start = Math.floor(from / unitMs) * unitMs
  const periods = yield* periodsBetween(num, unitMs, { from: start, to: until }, now)
  return uptimeStatsOf(periods.map((period) => part(period, unitMs, { from, to: until, now })))
}

/** The part of a period between two times. */
function part({ startAt, totals }: Period, unitMs: number, range: Range): UptimeTotals {
  const share = shareOf(startAt, unitMs, range)
  if (share === 1) return totals
  const of = (amount: number) => Math.round(amount * share)
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

/** Measured time of a monitor, without its checks. */
export type Times = Pick<UptimeTotals, 'upMs' | 'downMs' | 'pausedMs' | 'maintenanceMs'>

export function sumTimes(list: readonly (Times | undefined)[]): Times & { readonly uptime: number | null } {
  const sum = (name: keyof Times) => list.reduce((total, one) => total + (one?.[name] ?? 0), 0)
  const [upMs, downMs] = [sum('upMs'), sum('downMs')]
  return {
    uptime: uptimeRatio({ upMs, downMs }),
    upMs,
    downMs,
    pausedMs: sum('pausedMs'),
    maintenanceMs: sum('maintenanceMs'),
  }
}

/** The times of many monitors. The database sums the whole days, because a month of thousands of monitors has many. */
export function* uptimesBetween(nums: readonly number[], { from, to, now }: Range): DbWork<ReadonlyMap<number, Times>> {
  const found = new Map<number, Times>()
  const add = (num: number, times: Times) => found.set(num, sumTimes([found.get(num), times]))
  if (from >= now) return found
  const [firstWhole, endOfWhole] = [Math.ceil(from / DAY_MS) * DAY_MS, Math.floor(to / DAY_MS) * DAY_MS]
  const edges = [firstWhole - DAY_MS, endOfWhole]
  for (let at = 0; at < nums.length; at += NUMS_AT_ONCE) {
    const some = nums.slice(at, at + NUMS_AT_ONCE)
    const whole = yield* execute(daysOf(some).where('start_at', '>=', firstWhole).where('start_at', '<', endOfWhole))
    for (const row of whole) add(row.num, timesOf(row))
    const atEdges = yield* execute(daysOf(some).where('start_at', 'in', edges).select('start_at').groupBy('start_at'))
    for (const row of atEdges) add(row.num, portion(timesOf(row), row.start_at, DAY_MS, { from, to, now }))
    for (const [num, hours] of yield* openHours(some, Math.floor(from / HOUR_MS) * HOUR_MS, now)) {
      for (const { startAt, totals } of hours) add(num, portion(totals, startAt, HOUR_MS, { from, to, now }))
    }
  }
  return found
}

interface Range {
  readonly from: number
  readonly to: number
  readonly now: number
}

/** The part of an hour or day that lies in the range. */
function portion(
  { upMs, downMs, pausedMs, maintenanceMs }: Times,
  startAt: number,
  unitMs: number,
  range: Range,
): Times {
  const share = shareOf(startAt, unitMs, range)
  const of = (ms: number) => Math.round(ms * share)
  return { upMs: of(upMs), downMs: of(downMs), pausedMs: of(pausedMs), maintenanceMs: of(maintenanceMs) }
}

/** How much of an hour or day lies in the range, 0 to 1. The current one has lasted until now. */
function shareOf(startAt: number, unitMs: number, { from, to, now }: Range): number {
  const endAt = Math.min(startAt + unitMs, now)
  if (endAt <= startAt) return 1
  return Math.min(1, Math.max(0, (Math.min(endAt, to) - Math.max(startAt, from)) / (endAt - startAt)))
}

function daysOf(nums: readonly number[]) {
  const sum = (column: 'up_ms' | 'down_ms' | 'paused_ms' | 'maintenance_ms') =>
    sql<number>`cast(sum(${sql.ref(column)}) as bigint)`.as(column)
  return q
    .selectFrom('rollup_days')
    .select(['num', sum('up_ms'), sum('down_ms'), sum('paused_ms'), sum('maintenance_ms')])
    .where('num', 'in', nums)
    .groupBy('num')
}

function timesOf(row: { up_ms: number; down_ms: number; paused_ms: number; maintenance_ms: number }): Times {
  return { upMs: row.up_ms, downMs: row.down_ms, pausedMs: row.paused_ms, maintenanceMs: row.maintenance_ms }
}
