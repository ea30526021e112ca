import { sql } from 'kysely'
import { DAY_MS, HOUR_MS } from '../../lib/clock.ts'
import { all, type DbWork, execute, q, statement } from '../../storage/query.ts'
import { parseSettings } from '../monitor-settings/stored.ts'
import { percentile } from '../monitor-states/histogram.ts'
import { accrue, categoryOf, sumTotals, type UptimeTotals, uptimeRatio } from '../monitor-states/ledger.ts'
import { maintenanceCoverage } from '../monitor-states/maintenance.ts'
import { readMemory } from '../monitor-states/memory.ts'
import { totalsOf } from '../monitor-states/rollups.ts'
import { stateValidMs } from '../monitor-states/schedule.ts'
import type { MonitorState } from '../monitor-states/state.ts'

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

/** An hour or a day. */
export interface Period {
  readonly startAt: number
  readonly totals: UptimeTotals
}

/** The spans that statistics are offered for. Up to a week they are summed from hours, beyond that from days. */
export const spans = {
  '24h': DAY_MS,
  '7d': 7 * DAY_MS,
  '30d': 30 * DAY_MS,
  '90d': 90 * DAY_MS,
  '365d': 365 * DAY_MS,
} as const
export type Span = keyof typeof spans

function isByHour(span: Span): boolean {
  return spans[span] <= 7 * DAY_MS
}

const hoursOf = statement(({ num, from }: { num: number; from: number }) =>
  q.selectFrom('rollup_hours').selectAll().where('num', '=', num).where('start_at', '>=', from).orderBy('start_at'),
)

const daysOf = statement(({ num, from }: { num: number; from: number }) =>
  q.selectFrom('rollup_days').selectAll().where('num', '=', num).where('start_at', '>=', from).orderBy('start_at'),
)

/** Statistics of the span that ends now, including the current hour. */
export function* uptimeStats(num: number, span: Span, now: number): DbWork<UptimeStats> {
  const unit = isByHour(span) ? HOUR_MS : DAY_MS
  const from = Math.floor((now - spans[span]) / unit) * unit
  const stored = yield* all(isByHour(span) ? hoursOf : daysOf, { num, from })
  const open = (yield* openHours([num], from, now)).get(num) ?? []
  return uptimeStatsOf([...stored.map(totalsOf), ...open.map(({ totals }) => totals)])
}

/** Hours or days from `from`, which is the start of one, up to `to`, oldest first. */
export function* periodsBetween(
  num: number,
  unitMs: number,
  { from, to }: { readonly from: number; readonly to: number },
  now: number,
): DbWork<readonly Period[]> {
  const isByHour = unitMs === HOUR_MS
  const rows = yield* all(isByHour ? hoursOf : daysOf, { num, from })
  const periods = rows.map((row) => ({ startAt: row.start_at, totals: totalsOf(row) }))
  const open = (yield* openHours([num], from, now)).get(num) ?? []
  if (isByHour) periods.push(...open)
  else addToDays(periods, open)
  return periods.filter(({ startAt }) => startAt < to)
}

/** Adds hours that are not in the roll-ups yet to their days. */
function addToDays(days: Period[], hours: readonly Period[]): void {
  for (const { startAt, totals } of hours) {
    const day = Math.floor(startAt / DAY_MS) * DAY_MS
    const last = days.at(-1)
    if (last?.startAt === day) days[days.length - 1] = { startAt: day, totals: sumTotals([last.totals, totals]) }
    else days.push({ startAt: day, totals })
  }
}

function statesOf(nums: readonly number[]) {
  return q
    .selectFrom('monitor_states as s')
    .innerJoin('monitors as m', 'm.num', 's.num')
    .select(['s.num', 's.org_id', 's.state', 's.memory', 'm.rendered'])
    .where('s.num', 'in', [...nums])
}

/** What the hours that are not in the roll-ups yet are computed from. */
export interface OpenState {
  readonly num: number
  readonly org_id: string
  readonly state: MonitorState
  readonly memory: string
  readonly rendered: string
}

/** The hours from `from` on that are not in the roll-ups yet, accrued up to `now` without writing them. */
export function* openHours(
  nums: readonly number[],
  from: number,
  now: number,
): DbWork<ReadonlyMap<number, readonly Period[]>> {
  return yield* openHoursOf(yield* execute(statesOf(nums)), from, now)
}

function* openHoursOf(
  rows: readonly OpenState[],
  from: number,
  now: number,
): DbWork<ReadonlyMap<number, readonly Period[]>> {
  const states = rows.map((row) => ({ ...row, orgId: row.org_id, memory: readMemory(row.memory, now), at: now }))
  const coverage = yield* maintenanceCoverage(states)
  return new Map(
    states.map(({ num, orgId, memory, state, rendered }) => {
      const validMs = state === 'PAUSED' ? Number.POSITIVE_INFINITY : stateValidMs(parseSettings(rendered))
      const { closed, ledger } = accrue(memory.ledger, now, categoryOf(state), validMs, coverage(orgId, num))
      const hours = [...closed, ledger].map(({ hourStart, totals }) => ({ startAt: hourStart, totals }))
      return [num, hours.filter(({ startAt }) => startAt >= from)]
    }),
  )
}

/** Well below the parameter limit of both engines. */
export const NUMS_AT_ONCE = 500

/**
 * The uptime of each monitor. Sums in the database instead of reading the days with their histograms, because sorting a list
 * by uptime needs all of its monitors.
 */
export function* uptimeRatios(
  nums: readonly number[],
  span: '30d' | '90d' | '365d',
  now: number,
): DbWork<ReadonlyMap<number, number | null>> {
  const ratios = new Map<number, number | null>()
  for (let at = 0; at < nums.length; at += NUMS_AT_ONCE) {
    const states = yield* execute(statesOf(nums.slice(at, at + NUMS_AT_ONCE)))
    for (const [num, ratio] of yield* uptimeRatiosOf(states, span, now)) ratios.set(num, ratio)
  }
  return ratios
}

/** The same for monitors whose states are read already: at most 500. */
export function* uptimeRatiosOf(
  states: readonly OpenState[],
  span: '30d' | '90d' | '365d',
  now: number,
): DbWork<ReadonlyMap<number, number | null>> {
  if (states.length === 0) return new Map()
  const from = Math.floor((now - spans[span]) / DAY_MS) * DAY_MS + DAY_MS
  const days = yield* execute(
    sumOfDays(
      states.map(({ num }) => num),
      from,
    ),
  )
  const stored = new Map(days.map((row) => [row.num, row]))
  const open = yield* openHoursOf(states, from, now)
  return new Map(
    states.map(({ num }) => {
      let { up_ms: upMs = 0, down_ms: downMs = 0 } = stored.get(num) ?? {}
      for (const { totals } of open.get(num) ?? []) {
        upMs += totals.upMs
        downMs += totals.downMs
      }
      return [num, uptimeRatio({ upMs, downMs })]
    }),
  )
}

function sumOfDays(nums: readonly number[], from: number) {
  const sum = (column: 'up_ms' | 'down_ms') => sql<number>`cast(sum(${sql.ref(column)}) as bigint)`
  return q
    .selectFrom('rollup_days')
    .select(['num', sum('up_ms').as('up_ms'), sum('down_ms').as('down_ms')])
    .where('num', 'in', [...nums])
    .where('start_at', '>=', from)
    .groupBy('num')
}

/** The hours of a span, or the days of one over a week, by monitor. Oldest first, up to the current one. */
export function* uptimeSeries(
  nums: readonly number[],
  span: Span,
  now: number,
): DbWork<ReadonlyMap<number, readonly Period[]>> {
  const unit = isByHour(span) ? HOUR_MS : DAY_MS
  const from = Math.floor((now - spans[span]) / unit) * unit + unit
  const series = new Map<number, Period[]>(nums.map((num) => [num, []]))
  if (nums.length === 0) return series
  const rows = yield* execute(
    q
      .selectFrom(isByHour(span) ? 'rollup_hours' : 'rollup_days')
      .selectAll()
      .where('num', 'in', [...nums])
      .where('start_at', '>=', from)
      .orderBy('num')
      .orderBy('start_at'),
  )
  for (const row of rows) series.get(row.num)?.push({ startAt: row.start_at, totals: totalsOf(row) })
  for (const [num, open] of yield* openHours(nums, from, now)) {
    const periods = series.get(num) as Period[]
    if (isByHour(span)) periods.push(...open)
    else addToDays(periods, open)
  }
  return series
}
