import { sql } from 'kysely'
import { DAY_MS, HOUR_MS } from '../../lib/clock.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { percentile } from '../monitor-states/histogram.ts'
import { sumTotals, type UptimeTotals, uptimeRatio } from '../monitor-states/ledger.ts'
import { BY_HOUR_MS, openHours, periodsBetween, type Span, spans, unitOf } from './read-periods.ts'
import { knownSince, unknownMsIn } from './unknown-time.ts'

export interface UptimeStats {
  /** Up time over up and down time, 0 to 1; null without data. */
  readonly uptime: number | null
  readonly totals: UptimeTotals
  readonly p50Ms: number | null
  readonly p95Ms: number | null
}

export function uptimeStatsOf(list: readonly UptimeTotals[]): UptimeStats {
  const totals = sumTotals(list)
  return {
    uptime: uptimeRatio(totals),
    totals,
    p50Ms: percentile(totals.responses, 0.5),
    p95Ms: percentile(totals.responses, 0.95),
  }
}

/** Statistics of the span that ends now, including the current hour and the whole first one. */
export function* uptimeStats(num: number, span: Span, now: number): DbWork<UptimeStats> {
  const periods = yield* periodsBetween(num, unitOf(span), { from: now - spans[span], to: now + 1 }, now)
  return uptimeStatsOf(periods.map(({ totals }) => totals))
}

/** Statistics from `from` up to `to`. Hours or days at the edges count in proportion to the part that lies between. */
export function* uptimeBetween(num: number, from: number, to: number, now: number): DbWork<UptimeStats> {
  const range = { from, to: Math.min(to, now), now }
  if (from >= range.to) return uptimeStatsOf([])
  const unitMs = from >= now - BY_HOUR_MS ? HOUR_MS : DAY_MS
  const periods = yield* periodsBetween(num, unitMs, range, now)
  return uptimeStatsOf(periods.map(({ startAt, totals }) => partOf(totals, shareOf(startAt, unitMs, range))))
}

/** Measured and unknown time of a monitor, without its checks. */
export type Times = Pick<UptimeTotals, 'upMs' | 'downMs' | 'pausedMs' | 'maintenanceMs'> & {
  readonly unknownMs: number
}

export function sumTimes(list: readonly (Times | undefined)[]): Times & { readonly uptime: number | null } {
  const sum = (name: keyof Times) => list.reduce((total, one) => total + (one?.[name] ?? 0), 0)
  const [upMs, downMs] = [sum('upMs'), sum('downMs')]
  return {
    uptime: uptimeRatio({ upMs, downMs }),
    upMs,
    downMs,
    pausedMs: sum('pausedMs'),
    maintenanceMs: sum('maintenanceMs'),
    unknownMs: sum('unknownMs'),
  }
}

/** Well below the parameter limit of both engines. */
const NUMS_AT_ONCE = 500

/** The times of many monitors. The database sums the days, because a month of thousands of monitors has many. */
export function* timesBetween(nums: readonly number[], range: Range): DbWork<ReadonlyMap<number, Times>> {
  const { from, to, now } = range
  const found = new Map<number, Times>()
  const add = (num: number, times: Omit<Times, 'unknownMs'>) =>
    found.set(num, sumTimes([found.get(num), { ...times, unknownMs: 0 }]))
  if (from >= now) return found
  for (let at = 0; at < nums.length; at += NUMS_AT_ONCE) {
    const some = nums.slice(at, at + NUMS_AT_ONCE)
    for (const { num, startAt, days, ...times } of yield* execute(sumOfDays(some, from, to))) {
      add(num, days > 1 ? times : scaled(times, shareOf(startAt, DAY_MS, range)))
    }
    for (const [num, hours] of yield* openHours(some, Math.floor(from / HOUR_MS) * HOUR_MS, now)) {
      for (const { startAt, totals } of hours) add(num, partOf(totals, shareOf(startAt, HOUR_MS, range)))
    }
    for (const { num, created_at: createdAt } of yield* execute(creationOf(some))) {
      const times = sumTimes([found.get(num)])
      found.set(num, { ...times, unknownMs: unknownMsIn(times, { from, to: Math.min(to, now) }, createdAt) })
    }
  }
  return found
}

/** The uptime of each monitor in the days of a span, today included. */
export function* uptimeRatios(
  nums: readonly number[],
  span: '30d' | '90d' | '365d',
  now: number,
): DbWork<ReadonlyMap<number, number | null>> {
  const times = yield* timesInLast(nums, span, now)
  return new Map(nums.map((num) => [num, sumTimes([times.get(num)]).uptime]))
}

/** The times of each monitor in the days of a span, today included. */
export function timesInLast(nums: readonly number[], span: '30d' | '90d' | '365d', now: number) {
  const from = (Math.floor((now - spans[span]) / DAY_MS) + 1) * DAY_MS
  return timesBetween(nums, { from, to: now, now })
}

function creationOf(nums: readonly number[]) {
  return q
    .selectFrom('monitors as m')
    .select(['m.num', knownSince.as('created_at')])
    .where('m.num', 'in', nums)
}

/** Up to three sums per monitor: the day in which `from` lies, whole days, the day in which `to` lies. */
function sumOfDays(nums: readonly number[], from: number, to: number) {
  const sum = (column: string) => sql<number>`cast(sum(${sql.ref(column)}) as bigint)`
  return q
    .selectFrom('rollup_days')
    .select(['num', sql<number>`min(start_at)`.as('startAt'), sql<number>`count(*)`.as('days')])
    .select([sum('up_ms').as('upMs'), sum('down_ms').as('downMs')])
    .select([sum('paused_ms').as('pausedMs'), sum('maintenance_ms').as('maintenanceMs')])
    .where('num', 'in', nums)
    .where('start_at', '>=', Math.floor(from / DAY_MS) * DAY_MS)
    .where('start_at', '<', to)
    .groupBy(['num', sql`start_at < ${from}`, sql`start_at > ${to - DAY_MS}`])
}

interface Range {
  readonly from: number
  readonly to: number
  readonly now: number
}

/** How much of an hour or day lies in the range, 0 to 1. The current one has lasted until now. */
function shareOf(startAt: number, unitMs: number, { from, to, now }: Range): number {
  const endAt = Math.min(startAt + unitMs, now)
  if (endAt <= startAt) return 1
  return Math.min(1, Math.max(0, (Math.min(endAt, to) - Math.max(startAt, from)) / (endAt - startAt)))
}

/** Response times are spread evenly over the period, so their percentiles do not change. */
function partOf({ responses, ...amounts }: UptimeTotals, share: number): UptimeTotals {
  return { ...scaled(amounts, share), responses }
}

function scaled<Name extends string>(amounts: Readonly<Record<Name, number>>, share: number): Record<Name, number> {
  const names = Object.keys(amounts) as Name[]
  return Object.fromEntries(names.map((name) => [name, Math.round(amounts[name] * share)])) as Record<Name, number>
}
