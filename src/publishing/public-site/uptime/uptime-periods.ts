import { DAY_MS, HOUR_MS } from '../../../lib/clock.ts'
import type { UptimeTotals } from '../../../monitoring/monitor-states/ledger.ts'
import { totalsOf } from '../../../monitoring/monitor-states/rollups.ts'
import { type UptimeStats, uptimeStatsOf } from '../../../monitoring/uptime/compute.ts'
import { all, type DbWork, q, statement } from '../../../storage/query.ts'
import { firstDayOf, type LiveState, openHours } from './daily-uptime.ts'
import { type ResponseSeries, responseSeries } from './response-times.ts'

/** Periods up to a week are summed from hourly roll-ups, longer ones from daily roll-ups like the bars. */
const periods = [{ hours: 24 }, { days: 7 }, { days: 30 }, { days: 90 }] as const satisfies readonly Period[]

export type Period = { readonly hours: number } | { readonly days: number }

interface PeriodView {
  readonly period: Period
  readonly stats: UptimeStats
}

interface RollupQuery {
  readonly orgId: string
  readonly num: number
  readonly from: number
}

const rollupsIn = (table: 'rollup_hours' | 'rollup_days') =>
  statement(({ orgId, num, from }: RollupQuery) =>
    q.selectFrom(table).selectAll().where('num', '=', num).where('org_id', '=', orgId).where('start_at', '>=', from),
  )

const hoursSince = rollupsIn('rollup_hours')
const daysSince = rollupsIn('rollup_days')

interface RollupPart {
  readonly startAt: number
  readonly totals: UptimeTotals
}

export interface UptimePeriods {
  readonly periods: readonly PeriodView[]
  /** Response times of the last 7 days by hour. */
  readonly hourly: ResponseSeries
  /** Response times of the last 90 days by day. */
  readonly daily: ResponseSeries
}

/** The statistics of every period, each ending now, and the response times within the longest two. */
export function* uptimePeriodsOf(orgId: string, num: number, liveState: LiveState, now: number): DbWork<UptimePeriods> {
  const hours = yield* all(hoursSince, { orgId, num, from: startOf({ days: 7 }, now) })
  const days = yield* all(daysSince, { orgId, num, from: startOf({ days: 90 }, now) })
  const open = openHours(liveState, now).map(({ hourStart, totals }) => ({ startAt: hourStart, totals }))
  const toPart = (row: (typeof hours)[number]): RollupPart => ({ startAt: row.start_at, totals: totalsOf(row) })
  const [byHour, byDay] = [
    [...hours.map(toPart), ...open],
    [...days.map(toPart), ...open],
  ]
  const series = (parts: readonly RollupPart[], stepMs: number, steps: number): ResponseSeries =>
    responseSeries(
      parts.map(({ startAt, totals: { responses } }) => ({ startAt, responses })),
      stepMs,
      steps,
      now,
    )
  return {
    periods: periodViews(byHour, byDay, now),
    hourly: series(byHour, HOUR_MS, 7 * 24),
    daily: series(byDay, DAY_MS, 90),
  }
}

function periodViews(byHour: readonly RollupPart[], byDay: readonly RollupPart[], now: number): readonly PeriodView[] {
  return periods.map((period) => {
    const from = startOf(period, now)
    const within = (usesDays(period) ? byDay : byHour).filter(({ startAt }) => startAt >= from)
    return { period, stats: uptimeStatsOf(within.map(({ totals }) => totals)) }
  })
}

function usesDays(period: Period): boolean {
  return 'days' in period && period.days > 7
}

function startOf(period: Period, now: number): number {
  if (usesDays(period)) return firstDayOf(now, 'days' in period ? period.days : 1) * DAY_MS
  const ms = 'hours' in period ? period.hours * HOUR_MS : period.days * DAY_MS
  return Math.floor((now - ms) / HOUR_MS) * HOUR_MS
}
