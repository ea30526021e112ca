import { DAY_MS } from '../../lib/clock.ts'
import { type DbWork, first, q, run, statement } from '../../storage/query.ts'
import { histogramText, readHistogram } from './histogram.ts'
import { type ClosedHour, sumTotals, type UptimeTotals } from './ledger.ts'

interface RollupKey {
  num: number
  startAt: number
}

const rollups = (table: 'rollup_hours' | 'rollup_days') => ({
  read: statement(({ num, startAt }: RollupKey) =>
    q.selectFrom(table).selectAll().where('num', '=', num).where('start_at', '=', startAt),
  ),
  write: statement((r: Rollup) => {
    const values = valuesOf(r)
    return q
      .insertInto(table)
      .values({ org_id: r.orgId, num: r.num, start_at: r.startAt, ...values })
      .onConflict((conflict) => conflict.columns(['num', 'start_at']).doUpdateSet(values))
  }),
})

/** Changes nothing if the hour already has a roll-up. */
const insertHour = statement((r: Rollup) =>
  q
    .insertInto('rollup_hours')
    .values({ org_id: r.orgId, num: r.num, start_at: r.startAt, ...valuesOf(r) })
    .onConflict((conflict) => conflict.columns(['num', 'start_at']).doNothing()),
)

type Rollup = RollupKey & Omit<UptimeTotals, 'responses'> & { orgId: string; responses: string }

function valuesOf(r: Rollup) {
  return {
    up_ms: r.upMs,
    degraded_ms: r.degradedMs,
    down_ms: r.downMs,
    paused_ms: r.pausedMs,
    maintenance_ms: r.maintenanceMs,
    checks: r.checks,
    failures: r.failures,
    responses: r.responses,
  }
}

const hours = rollups('rollup_hours')
const days = rollups('rollup_days')

/** Statistics of up to a week are summed from hours, longer ones from days. Older hours are deleted once a day. */
const HOURS_KEPT_MS = 8 * DAY_MS

const dropHours = statement(({ num, before }: { num: number; before: number }) =>
  q.deleteFrom('rollup_hours').where('num', '=', num).where('start_at', '<', before),
)

/**
 * Adds closed hours to the roll-ups, in the transaction that closed them. A resume after a long pause closes thousands
 * at once: those older than eight days are added to their days only.
 */
export function* storeHours(orgId: string, num: number, closed: readonly ClosedHour[]): DbWork<void> {
  const newest = closed.at(-1)
  if (newest === undefined) return
  if (closed.some(({ hourStart }) => hourStart % DAY_MS === 0)) {
    yield* run(dropHours, { num, before: newest.hourStart - HOURS_KEPT_MS })
  }
  for (const { hourStart, totals } of closed) {
    if (hourStart > newest.hourStart - HOURS_KEPT_MS) yield* addHour(orgId, num, hourStart, totals)
  }
  for (const [day, its] of Map.groupBy(closed, ({ hourStart }) => Math.floor(hourStart / DAY_MS) * DAY_MS)) {
    yield* add(days, orgId, num, day, sumTotals(its.map(({ totals }) => totals)))
  }
}

/** Most hours are closed once, so the insert comes first and the read only after a conflict. */
function* addHour(orgId: string, num: number, hour: number, totals: UptimeTotals): DbWork<void> {
  if ((yield* run(insertHour, rollupOf(orgId, num, hour, totals))) === 0) yield* add(hours, orgId, num, hour, totals)
}

function* add(to: typeof hours, orgId: string, num: number, startAt: number, totals: UptimeTotals): DbWork<void> {
  const stored = yield* first(to.read, { num, startAt })
  const sum = stored === undefined ? totals : sumTotals([totalsOf(stored), totals])
  yield* run(to.write, rollupOf(orgId, num, startAt, sum))
}

function rollupOf(orgId: string, num: number, startAt: number, totals: UptimeTotals): Rollup {
  return { ...totals, orgId, num, startAt, responses: histogramText(totals.responses) }
}

interface RollupRow {
  readonly up_ms: number
  readonly degraded_ms: number
  readonly down_ms: number
  readonly paused_ms: number
  readonly maintenance_ms: number
  readonly checks: number
  readonly failures: number
  readonly responses: string
}

export function totalsOf(row: RollupRow): UptimeTotals {
  return {
    upMs: row.up_ms,
    degradedMs: row.degraded_ms,
    downMs: row.down_ms,
    pausedMs: row.paused_ms,
    maintenanceMs: row.maintenance_ms,
    checks: row.checks,
    failures: row.failures,
    responses: readHistogram(row.responses),
  }
}
