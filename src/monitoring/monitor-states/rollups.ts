import { DAY_MS } from '../../lib/clock.ts'
import { type DbWork, first, q, run, statement } from '../../storage/query.ts'
import { histogramText, readHistogram } from './histogram.ts'
import { type ClosedHour, sumOf, type Tally } from './ledger.ts'

interface Place {
  num: number
  startAt: number
}

const rollups = (table: 'rollup_hours' | 'rollup_days') => ({
  read: statement(({ num, startAt }: Place) =>
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

/** Changes nothing where there is one already. */
const insertHour = statement((r: Rollup) =>
  q
    .insertInto('rollup_hours')
    .values({ org_id: r.orgId, num: r.num, start_at: r.startAt, ...valuesOf(r) })
    .onConflict((conflict) => conflict.columns(['num', 'start_at']).doNothing()),
)

type Rollup = Place & Omit<Tally, 'responses'> & { orgId: string; responses: string }

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

/** Spans of up to a week are added up from hours (see uptime.ts); of what is older the days are enough, and it goes once a day. */
const HOURS_KEPT_MS = 8 * DAY_MS

const dropHours = statement(({ num, before }: { num: number; before: number }) =>
  q.deleteFrom('rollup_hours').where('num', '=', num).where('start_at', '<', before),
)

/**
 * Adds finished hours to the roll-ups, in the transaction that finished them. The end of a long pause finishes
 * thousands at once: most of them go to their days alone.
 */
export function* storeHours(orgId: string, num: number, closed: readonly ClosedHour[]): DbWork<void> {
  const newest = closed.at(-1)
  if (newest === undefined) return
  if (closed.some(({ hour }) => hour % DAY_MS === 0)) {
    yield* run(dropHours, { num, before: newest.hour - HOURS_KEPT_MS })
  }
  for (const { hour, tally } of closed) {
    if (hour > newest.hour - HOURS_KEPT_MS) yield* addHour(orgId, num, hour, tally)
  }
  for (const [day, its] of Map.groupBy(closed, ({ hour }) => Math.floor(hour / DAY_MS) * DAY_MS)) {
    yield* add(days, orgId, num, day, sumOf(its.map(({ tally }) => tally)))
  }
}

/** Most hours are closed once, so nothing is read before it is written. */
function* addHour(orgId: string, num: number, hour: number, tally: Tally): DbWork<void> {
  if ((yield* run(insertHour, rollupOf(orgId, num, hour, tally))) === 0) yield* add(hours, orgId, num, hour, tally)
}

function* add(to: typeof hours, orgId: string, num: number, startAt: number, tally: Tally): DbWork<void> {
  const stored = yield* first(to.read, { num, startAt })
  const sum = stored === undefined ? tally : sumOf([tallyOf(stored), tally])
  yield* run(to.write, rollupOf(orgId, num, startAt, sum))
}

function rollupOf(orgId: string, num: number, startAt: number, tally: Tally): Rollup {
  return { ...tally, orgId, num, startAt, responses: histogramText(tally.responses) }
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

export function tallyOf(row: RollupRow): Tally {
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
