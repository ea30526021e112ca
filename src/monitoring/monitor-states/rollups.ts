import { sql } from 'kysely'
import { DAY_MS } from '../../lib/clock.ts'
import { parseStored } from '../../lib/json.ts'
import { allOf, batch, fromRows, insertBatch, joinRows, sendAll, usingRows } from '../../storage/batch.ts'
import { type DbWork, q } from '../../storage/query.ts'
import type { RollupTable } from '../../storage/schema/monitors.ts'
import { histogramText, readHistogram } from './histogram.ts'
import { type ClosedHour, difference, sumTotals, type UptimeTotals } from './ledger.ts'
import { dayOf } from './result-log.ts'

type RollupKey = Pick<RollupTable, 'num' | 'start_at'>
type MonitorPeriod = Pick<RollupTable, 'org_id' | 'num' | 'start_at'>

const keyTypes = { num: 'bigint', start_at: 'bigint' } as const
const periodTypes = { ...keyTypes, org_id: 'text' } as const
const totalsTypes = {
  up_ms: 'bigint',
  degraded_ms: 'bigint',
  down_ms: 'bigint',
  paused_ms: 'bigint',
  maintenance_ms: 'bigint',
  checks: 'bigint',
  failures: 'bigint',
  responses: 'text',
  imported: 'text',
} as const
const totalsColumns = Object.keys(totalsTypes) as (keyof typeof totalsTypes)[]

const rollups = (table: 'rollup_hours' | 'rollup_days') => ({
  read: batch<RollupKey, RollupTable>(keyTypes, (key, rows) =>
    joinRows(q.selectFrom(`${table} as r`).selectAll('r'), rows)
      .where('r.num', '=', key.num)
      .where('r.start_at', '=', key.start_at),
  ),
  write: insertBatch(table, { ...periodTypes, ...totalsTypes }, (insert) =>
    insert.onConflict((conflict) =>
      conflict
        .columns(['num', 'start_at'])
        .doUpdateSet(({ ref }) => Object.fromEntries(totalsColumns.map((name) => [name, ref(`excluded.${name}`)]))),
    ),
  ),
})

const hours = rollups('rollup_hours')
const days = rollups('rollup_days')

/** Statistics of up to a week are summed from hours, longer ones from days. Older hours are deleted once a day. */
const HOURS_KEPT_MS = 8 * DAY_MS

const dropHours = batch<RollupKey>(keyTypes, (before, rows) =>
  usingRows(q.deleteFrom('rollup_hours as r'), rows)
    .where('r.num', '=', before.num)
    .where('r.start_at', '<', before.start_at),
)

const UPTIME_DAYS = 30

/** For sorting the monitor list by uptime. */
const storeUptime = batch<MonitorPeriod>(periodTypes, (from, rows) =>
  fromRows(
    q
      .updateTable('monitor_states as s')
      .set({
        uptime: sql<number>`(select cast(sum(d.up_ms) as double precision) / nullif(sum(d.up_ms) + sum(d.down_ms), 0)
          from rollup_days d where d.num = ${from.num} and d.start_at >= ${from.start_at})`,
      })
      .where('s.org_id', '=', from.org_id)
      .where('s.num', '=', from.num),
    rows,
  ),
)

/** The hours that a monitor's ledger closed. */
export interface ClosedHours {
  readonly orgId: string
  readonly num: number
  readonly closed: readonly ClosedHour[]
}

/** The time of one monitor in an hour or a day. */
interface PeriodTotals extends MonitorPeriod {
  readonly totals: UptimeTotals
}

/**
 * Adds closed hours to the roll-ups, in the transaction that closed them, in a fixed number of batches: on the hour every
 * check closes one. A resume after a long pause closes thousands at once: those older than eight days are added to their
 * days only.
 */
export function* storeHours(list: readonly ClosedHours[]): DbWork<void> {
  const old: RollupKey[] = []
  const newHours: PeriodTotals[] = []
  const newDays: PeriodTotals[] = []
  const uptimes: MonitorPeriod[] = []
  for (const { orgId, num, closed } of list) {
    const newest = closed.at(-1)
    if (newest === undefined) continue
    const monitor = { org_id: orgId, num }
    const keptFrom = newest.hourStart - HOURS_KEPT_MS
    uptimes.push({ ...monitor, start_at: uptimeFrom(newest.hourStart) })
    if (closed.some(({ hourStart }) => hourStart % DAY_MS === 0)) old.push({ num, start_at: keptFrom })
    for (const { hourStart, totals } of closed) {
      if (hourStart > keptFrom) newHours.push({ ...monitor, start_at: hourStart, totals })
    }
    for (const [day, its] of Map.groupBy(closed, ({ hourStart }) => dayOf(hourStart))) {
      newDays.push({ ...monitor, start_at: day, totals: sumTotals(its.map(({ totals }) => totals)) })
    }
  }
  yield* allOf(dropHours, old)
  yield* merge(hours, newHours, added)
  yield* merge(days, newDays, added)
  yield* sendAll(storeUptime, uptimes)
}

function uptimeFrom(at: number): number {
  return dayOf(at) - (UPTIME_DAYS - 1) * DAY_MS
}

/** What a row has after a change; `stored` is undefined if there is none yet. */
type Merge = (totals: UptimeTotals, stored: RollupTable | undefined) => Pick<PeriodTotals, 'totals'> & Imported
type Imported = Pick<RollupTable, 'imported'>

const added: Merge = (totals, stored) =>
  stored === undefined
    ? { totals, imported: null }
    : { totals: sumTotals([totalsOf(stored), totals]), imported: stored.imported }

/** In place of what was imported before. */
const replaced: Merge = (totals, stored) => {
  const imported = JSON.stringify(totals)
  if (stored === undefined) return { totals, imported }
  const measured =
    stored.imported === null ? totalsOf(stored) : difference(totalsOf(stored), parseStored(stored.imported))
  return { totals: sumTotals([measured, totals]), imported }
}

function* merge(to: typeof hours, periods: readonly PeriodTotals[], change: Merge): DbWork<void> {
  const stored = new Map((yield* allOf(to.read, periods)).map((row) => [keyOf(row), row]))
  const rows = periods.map(({ totals: given, ...period }): RollupTable => {
    const { totals, imported } = change(given, stored.get(keyOf(period)))
    return { ...period, ...columnsOf(totals), imported }
  })
  yield* allOf(to.write, rows)
}

function keyOf({ num, start_at: startAt }: RollupKey): string {
  return `${num} ${startAt}`
}

/** Hours and days of one monitor that another tool has recorded. */
export interface ImportedHistory {
  readonly orgId: string
  readonly num: number
  readonly hours: readonly ClosedHour[]
  readonly days: readonly ClosedHour[]
}

/**
 * Adds imported hours and days to the roll-ups, in place of what was imported for them before. The states of the monitors are
 * locked, because checks add to the same rows.
 */
export function* storeImported(list: readonly ImportedHistory[], now: number): DbWork<void> {
  const keptFrom = now - HOURS_KEPT_MS
  const of = (unit: 'hours' | 'days') =>
    list.flatMap(({ orgId, num, [unit]: periods }) =>
      periods.map(({ hourStart, totals }) => ({ org_id: orgId, num, start_at: hourStart, totals })),
    )
  const kept = of('hours').filter(({ start_at: startAt }) => startAt > keptFrom)
  yield* merge(hours, kept, replaced)
  yield* merge(days, of('days'), replaced)
  yield* sendAll(
    storeUptime,
    list.map(({ orgId, num }) => ({ org_id: orgId, num, start_at: uptimeFrom(now) })),
  )
}

type TotalsColumns = Omit<RollupTable, keyof MonitorPeriod | 'imported'>

function columnsOf(totals: UptimeTotals): TotalsColumns {
  return {
    up_ms: totals.upMs,
    degraded_ms: totals.degradedMs,
    down_ms: totals.downMs,
    paused_ms: totals.pausedMs,
    maintenance_ms: totals.maintenanceMs,
    checks: totals.checks,
    failures: totals.failures,
    responses: histogramText(totals.responses),
  }
}

export function totalsOf(row: TotalsColumns): UptimeTotals {
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
