import { sql } from 'kysely'
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../lib/clock.ts'
import { type DbWork, first, q, statement } from '../../storage/query.ts'
import { findChecks } from '../check-results/find.ts'
import { emptyTotals, type UptimeTotals } from '../monitor-states/ledger.ts'
import type { Period } from './read-periods.ts'

/** Why it is not known whether a monitor was up. No check runs elsewhere yet, so none is for silent locations. */
export const unknownReasons = ['NOT_RUNNING', 'INCONCLUSIVE', 'LOCATIONS_SILENT'] as const

export interface UnknownTime {
  readonly unknownMs: number
  readonly unknownReasons: { readonly reason: (typeof unknownReasons)[number]; readonly ms: number }[]
  /** The uptime if the monitor was down in all of this time, and if it was up. Null without data. */
  readonly uptimeAtLeast: number | null
  readonly uptimeAtMost: number | null
}

type Times = Pick<UptimeTotals, 'upMs' | 'downMs' | 'pausedMs' | 'maintenanceMs'>

/** Less is the time between two checks. */
const LEAST_UNKNOWN_MS = SECOND_MS

/**
 * Less is not drawn as unmonitored: the first check of a new or resumed monitor takes this long at most, and a state stays valid
 * for longer than a restart takes.
 */
const LEAST_SHOWN_MS = 5 * MINUTE_MS

export function isUnmonitored(unknownMs: number): boolean {
  return unknownMs >= LEAST_SHOWN_MS
}

/** For how much of a span there is no result. Before a monitor was created, there is no unknown time. */
export function unknownMsIn(
  { upMs, downMs, pausedMs, maintenanceMs }: Times,
  { from, to }: { readonly from: number; readonly to: number },
  createdAt: number,
): number {
  const ms = Math.round(to - Math.max(from, createdAt) - upMs - downMs - pausedMs - maintenanceMs)
  return ms < LEAST_UNKNOWN_MS ? 0 : ms
}

/** The hours or days from `from` up to `to` that have results or unknown time, oldest first. */
export function* withUnknownTime(
  num: number,
  periods: readonly Period[],
  unitMs: number,
  { from, to }: { readonly from: number; readonly to: number },
): DbWork<readonly (Period & { readonly unknownMs: number })[]> {
  const createdAt = (yield* first(createdOf, { num }))?.created_at ?? to
  const known = new Map(periods.map(({ startAt, totals }) => [startAt, totals]))
  const all: (Period & { readonly unknownMs: number })[] = []
  const firstAt = Math.min(periods[0]?.startAt ?? to, Math.max(from, createdAt))
  for (let startAt = Math.floor(firstAt / unitMs) * unitMs; startAt < to; startAt += unitMs) {
    const totals = known.get(startAt)
    const span = { from: startAt, to: Math.min(startAt + unitMs, to) }
    const unknownMs = unknownMsIn(totals ?? emptyTotals, span, createdAt)
    if (totals !== undefined || unknownMs > 0) all.push({ startAt, totals: totals ?? emptyTotals, unknownMs })
  }
  return all
}

/** When a monitor was created; if it has imported history, when that begins. */
export const knownSince = sql<number>`coalesce((select min(d.start_at) from rollup_days d
  where d.num = m.num and d.start_at <= m.created_at - ${sql.lit(DAY_MS)} and d.imported is not null), m.created_at)`

const createdOf = statement(({ num }: { num: number }) =>
  q
    .selectFrom('monitors as m')
    .select([knownSince.as('created_at'), 'm.interval_seconds'])
    .where('m.num', '=', num),
)

/** The unknown time between two times. Before a monitor was created there is none. One inconclusive check is stored per interval. */
export function* findUnknownTime(num: number, totals: Times, from: number, to: number): DbWork<UnknownTime> {
  const monitor = yield* first(createdOf, { num })
  const start = Math.max(from, monitor?.created_at ?? to)
  const ms = unknownMsIn(totals, { from, to }, start)
  const filter = { from: start, to: to + 1, state: 'INCONCLUSIVE' } as const
  const checks = ms === 0 ? 0 : (yield* findChecks(num, filter, { limit: 0, offset: 0 })).total
  const inconclusive = Math.min(ms, checks * (monitor?.interval_seconds ?? 0) * SECOND_MS)
  const reasons = [
    { reason: 'NOT_RUNNING' as const, ms: ms - inconclusive },
    { reason: 'INCONCLUSIVE' as const, ms: inconclusive },
  ]
  const { upMs, downMs } = totals
  const total = upMs + downMs + ms
  return {
    unknownMs: ms,
    unknownReasons: reasons.filter((one) => one.ms > 0),
    uptimeAtLeast: total < LEAST_UNKNOWN_MS ? null : upMs / total,
    uptimeAtMost: total < LEAST_UNKNOWN_MS ? null : (upMs + ms) / total,
  }
}
