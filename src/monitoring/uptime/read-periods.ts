import { DAY_MS, HOUR_MS } from '../../lib/clock.ts'
import { type DbRead, execute, q } from '../../storage/query.ts'
import { timingColumns, timingIn } from '../monitor-settings/stored.ts'
import { accrue, categoryOf, sumTotals, type UptimeTotals } from '../monitor-states/ledger.ts'
import { maintenanceCoverage } from '../monitor-states/maintenance.ts'
import { readMemory } from '../monitor-states/memory.ts'
import { totalsOf } from '../monitor-states/rollups.ts'
import { stateValidMs } from '../monitor-states/schedule.ts'

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

/** Up to this long ago there are hours; before that, only days. Hours are kept for eight days. */
export const BY_HOUR_MS = 7 * DAY_MS

export function unitOf(span: Span): number {
  return spans[span] <= BY_HOUR_MS ? HOUR_MS : DAY_MS
}

/** Hours or days of each monitor from `from` on, which is the start of one. Oldest first, up to the current one. */
function* periodsFrom(
  nums: readonly number[],
  unitMs: number,
  from: number,
  now: number,
): DbRead<ReadonlyMap<number, readonly Period[]>> {
  const periods = new Map<number, Period[]>(nums.map((num) => [num, []]))
  if (nums.length === 0) return periods
  const rows = yield* execute(
    q
      .selectFrom(unitMs === HOUR_MS ? 'rollup_hours' : 'rollup_days')
      .selectAll()
      .where('num', 'in', [...nums])
      .where('start_at', '>=', from)
      .orderBy('num')
      .orderBy('start_at'),
  )
  for (const row of rows) periods.get(row.num)?.push({ startAt: row.start_at, totals: totalsOf(row) })
  for (const [num, open] of yield* openHours(nums, from, now)) {
    const ofMonitor = periods.get(num) as Period[]
    if (unitMs === HOUR_MS) ofMonitor.push(...open)
    else addToDays(ofMonitor, open)
  }
  return periods
}

/** The hours of a span, or the days of one over a week, by monitor. */
export function uptimeSeries(nums: readonly number[], span: Span, now: number) {
  const unitMs = unitOf(span)
  return periodsFrom(nums, unitMs, (Math.floor((now - spans[span]) / unitMs) + 1) * unitMs, now)
}

/** The hours or days of one monitor that begin before `to`, the one in which `from` lies included. */
export function* periodsBetween(
  num: number,
  unitMs: number,
  { from, to }: { readonly from: number; readonly to: number },
  now: number,
): DbRead<readonly Period[]> {
  const periods = yield* periodsFrom([num], unitMs, Math.floor(from / unitMs) * unitMs, now)
  return (periods.get(num) ?? []).filter(({ startAt }) => startAt < to)
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
    .select(['s.num', 's.org_id', 's.state', 's.memory', ...timingColumns])
    .where('s.num', 'in', [...nums])
}

/** The hours from `from` on that are not in the roll-ups yet, accrued up to `now` without writing them. */
export function* openHours(
  nums: readonly number[],
  from: number,
  now: number,
): DbRead<ReadonlyMap<number, readonly Period[]>> {
  const rows = yield* execute(statesOf(nums))
  const states = rows.map((row) => ({ ...row, orgId: row.org_id, memory: readMemory(row.memory, now), at: now }))
  const coverage = yield* maintenanceCoverage(states)
  return new Map(
    states.map(({ num, orgId, memory, state, ...row }) => {
      const validMs =
        state === 'PAUSED' ? Number.POSITIVE_INFINITY : stateValidMs(timingIn(row), memory.ledger.accountedUntil)
      const { closed, ledger } = accrue(memory.ledger, now, categoryOf(state), validMs, coverage(orgId, num))
      const hours = [...closed, ledger].map(({ hourStart, totals }) => ({ startAt: hourStart, totals }))
      return [num, hours.filter(({ startAt }) => startAt >= from)]
    }),
  )
}
