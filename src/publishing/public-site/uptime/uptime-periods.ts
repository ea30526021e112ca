import { DAY_MS, HOUR_MS } from '../../../lib/clock.ts'
import { type UptimeStats, uptimeStatsOf } from '../../../monitoring/uptime/compute.ts'
import { periodsBetween } from '../../../monitoring/uptime/read-periods.ts'
import type { DbWork } from '../../../storage/query.ts'
import { firstDayOf } from './daily-uptime.ts'
import { type ResponseSeries, responseSeries } from './response-times.ts'

/** Periods up to a week are summed from hourly roll-ups, longer ones from daily roll-ups like the bars. */
const periods = [{ hours: 24 }, { days: 7 }, { days: 30 }, { days: 90 }] as const satisfies readonly Period[]

export type Period = { readonly hours: number } | { readonly days: number }

export interface UptimePeriods {
  readonly periods: readonly { readonly period: Period; readonly stats: UptimeStats }[]
  /** Response times of the last 7 days by hour. */
  readonly hourly: ResponseSeries
  /** Response times of the last 90 days by day. */
  readonly daily: ResponseSeries
}

/** The statistics of every period, each ending now, and the response times within the longest two. */
export function* uptimePeriodsOf(num: number, now: number): DbWork<UptimePeriods> {
  const until = now + 1
  const hours = yield* periodsBetween(num, HOUR_MS, { from: startOf({ days: 7 }, now), to: until }, now)
  const days = yield* periodsBetween(num, DAY_MS, { from: startOf({ days: 90 }, now), to: until }, now)
  return {
    periods: periods.map((period) => {
      const from = startOf(period, now)
      const within = (usesDays(period) ? days : hours).filter(({ startAt }) => startAt >= from)
      return { period, stats: uptimeStatsOf(within.map(({ totals }) => totals)) }
    }),
    hourly: responseSeries(hours, HOUR_MS, 7 * 24, now),
    daily: responseSeries(days, DAY_MS, 90, now),
  }
}

function usesDays(period: Period): boolean {
  return 'days' in period && period.days > 7
}

function startOf(period: Period, now: number): number {
  if ('days' in period && usesDays(period)) return firstDayOf(now, period.days) * DAY_MS
  const ms = 'hours' in period ? period.hours * HOUR_MS : period.days * DAY_MS
  return Math.floor((now - ms) / HOUR_MS) * HOUR_MS
}
