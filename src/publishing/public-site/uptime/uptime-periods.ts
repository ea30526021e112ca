import { DAY_MS, HOUR_MS } from '../../../lib/clock.ts'
import type { UptimeTotals } from '../../../monitoring/monitor-states/ledger.ts'
import { totalsOf } from '../../../monitoring/monitor-states/rollups.ts'
import { type UptimeStats, uptimeStatsOf } from '../../../monitoring/statistics/uptime.ts'
import { all, type DbWork, q, statement } from '../../../storage/query.ts'
import { firstDayOf, type LiveState, openHours } from './daily-uptime.ts'

/** The spans that a monitor's page tells of. Up to a week is added up from hours, more from days, as the bars are. */
const periods = [{ hours: 24 }, { days: 7 }, { days: 30 }, { days: 90 }] as const satisfies readonly Period[]

export type Period = { readonly hours: number } | { readonly days: number }

export interface PeriodView {
  readonly period: Period
  readonly fared: UptimeStats
}

interface Since {
  readonly orgId: string
  readonly num: number
  readonly from: number
}

const rows = (table: 'rollup_hours' | 'rollup_days') =>
  statement(({ orgId, num, from }: Since) =>
    q.selectFrom(table).selectAll().where('num', '=', num).where('org_id', '=', orgId).where('start_at', '>=', from),
  )

const hoursSince = rows('rollup_hours')
const daysSince = rows('rollup_days')

interface RollupPart {
  readonly startAt: number
  readonly tally: UptimeTotals
}

/** How a monitor fared over each span that ends now. */
export function* uptimePeriodsOf(
  orgId: string,
  num: number,
  liveState: LiveState,
  now: number,
): DbWork<readonly PeriodView[]> {
  const hours = yield* all(hoursSince, { orgId, num, from: startOf({ days: 7 }, now) })
  const days = yield* all(daysSince, { orgId, num, from: startOf({ days: 90 }, now) })
  const open = openHours(liveState, now).map(({ hourStart: hour, totals: tally }) => ({ startAt: hour, tally }))
  const toPart = (row: (typeof hours)[number]): RollupPart => ({ startAt: row.start_at, tally: totalsOf(row) })
  const [byHour, byDay] = [
    [...hours.map(toPart), ...open],
    [...days.map(toPart), ...open],
  ]
  return periods.map((period) => {
    const from = startOf(period, now)
    const within = (usesDays(period) ? byDay : byHour).filter(({ startAt }) => startAt >= from)
    return { period, fared: uptimeStatsOf(within.map(({ tally }) => tally)) }
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
