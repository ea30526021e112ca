import { sql } from 'kysely'
import { DAY_MS } from '../../lib/clock.ts'
import {
  allOf,
  type BatchRows,
  batch,
  fromRows,
  insertRows,
  joinRows,
  sendAll,
  usingRows,
} from '../../storage/batch.ts'
import { type DbWork, q } from '../../storage/query.ts'
import { histogramText, readHistogram } from './histogram.ts'
import { type ClosedHour, difference, sumTotals, type UptimeTotals } from './ledger.ts'

type Table = 'rollup_hours' | 'rollup_days'

interface RollupKey {
  num: number
  startAt: number
}

type Rollup = RollupKey &
  Omit<UptimeTotals, 'responses'> & { orgId: string; responses: string; imported: string | null }

const keyTypes = { num: 'bigint', startAt: 'bigint' } as const
const types = {
  ...keyTypes,
  orgId: 'text',
  upMs: 'bigint',
  degradedMs: 'bigint',
  downMs: 'bigint',
  pausedMs: 'bigint',
  maintenanceMs: 'bigint',
  checks: 'bigint',
  failures: 'bigint',
  responses: 'text',
  imported: 'text',
} as const

function insertInto(table: Table, r: Rollup, rows: BatchRows | undefined) {
  const values = {
    org_id: r.orgId,
    num: r.num,
    start_at: r.startAt,
    up_ms: r.upMs,
    degraded_ms: r.degradedMs,
    down_ms: r.downMs,
    paused_ms: r.pausedMs,
    maintenance_ms: r.maintenanceMs,
    checks: r.checks,
    failures: r.failures,
    responses: r.responses,
    imported: r.imported,
  }
  return insertRows(table, values, rows)
}

/** Inserts hours and returns the keys of those that were inserted; the others already had a roll-up. */
const insertHours = batch<Rollup, { num: number; start_at: number }>(types, (r, rows) =>
  insertInto('rollup_hours', r, rows)
    .onConflict((conflict) => conflict.columns(['num', 'start_at']).doNothing())
    .returning(['num', 'start_at']),
)

const rollups = (table: Table) => ({
  read: batch<RollupKey, RollupRow & { num: number; start_at: number; imported: string | null }>(
    keyTypes,
    (key, rows) => {
      const found = q.selectFrom(`${table} as r`).selectAll('r')
      const from = joinRows(found, rows)
      return from.where('r.num', '=', key.num).where('r.start_at', '=', key.startAt)
    },
  ),
  write: batch<Rollup>(types, (r, rows) =>
    insertInto(table, r, rows).onConflict((conflict) =>
      conflict.columns(['num', 'start_at']).doUpdateSet(({ ref }) => ({
        up_ms: ref('excluded.up_ms'),
        degraded_ms: ref('excluded.degraded_ms'),
        down_ms: ref('excluded.down_ms'),
        paused_ms: ref('excluded.paused_ms'),
        maintenance_ms: ref('excluded.maintenance_ms'),
        checks: ref('excluded.checks'),
        failures: ref('excluded.failures'),
        responses: ref('excluded.responses'),
        imported: ref('excluded.imported'),
      })),
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
    .where('r.start_at', '<', before.startAt),
)

const UPTIME_DAYS = 30

/** For sorting the monitor list by uptime. */
const storeUptime = batch<RollupKey & { orgId: string }>({ ...keyTypes, orgId: 'text' }, (from, rows) =>
  fromRows(
    q
      .updateTable('monitor_list as l')
      .set({
        uptime: sql<number>`(select cast(sum(d.up_ms) as double precision) / nullif(sum(d.up_ms) + sum(d.down_ms), 0)
          from rollup_days d where d.num = ${from.num} and d.start_at >= ${from.startAt})`,
      })
      .where('l.org_id', '=', from.orgId)
      .where('l.num', '=', from.num),
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
interface MonitorTotals {
  readonly orgId: string
  readonly num: number
  readonly startAt: number
  readonly totals: UptimeTotals
  /** What of it was imported, as its row has it. */
  readonly imported?: string | null
}

/**
 * Adds closed hours to the roll-ups, in the transaction that closed them, in a fixed number of batches: on the hour every
 * check closes one. A resume after a long pause closes thousands at once: those older than eight days are added to their
 * days only.
 */
export function* storeHours(list: readonly ClosedHours[]): DbWork<void> {
  const old: RollupKey[] = []
  const newHours: MonitorTotals[] = []
  const newDays: MonitorTotals[] = []
  const uptimes: (RollupKey & { orgId: string })[] = []
  for (const { orgId, num, closed } of list) {
    const newest = closed.at(-1)
    if (newest === undefined) continue
    const keptFrom = newest.hourStart - HOURS_KEPT_MS
    const today = Math.floor(newest.hourStart / DAY_MS) * DAY_MS
    uptimes.push({ orgId, num, startAt: today - (UPTIME_DAYS - 1) * DAY_MS })
    if (closed.some(({ hourStart }) => hourStart % DAY_MS === 0)) old.push({ num, startAt: keptFrom })
    for (const { hourStart, totals } of closed) {
      if (hourStart > keptFrom) newHours.push({ orgId, num, startAt: hourStart, totals })
    }
    for (const [startAt, its] of Map.groupBy(closed, ({ hourStart }) => Math.floor(hourStart / DAY_MS) * DAY_MS)) {
      newDays.push({ orgId, num, startAt, totals: sumTotals(its.map(({ totals }) => totals)) })
    }
  }
  yield* allOf(dropHours, old)
  // Most hours are closed once, so the insert comes first and the read only after a conflict.
  const inserted = new Set((yield* allOf(insertHours, newHours.map(rollupOf))).map(keyOf))
  yield* add(
    hours,
    newHours.filter(({ num, startAt }) => !inserted.has(keyOf({ num, start_at: startAt }))),
  )
  yield* add(days, newDays)
  yield* sendAll(storeUptime, uptimes)
}

function* add(to: typeof hours, added: readonly MonitorTotals[]): DbWork<void> {
  const stored = new Map((yield* allOf(to.read, added)).map((row) => [keyOf(row), row]))
  const sums = added.map((one) => {
    const row = stored.get(keyOf({ num: one.num, start_at: one.startAt }))
    return row === undefined ? one : { ...one, totals: sumTotals([totalsOf(row), one.totals]), imported: row.imported }
  })
  yield* allOf(to.write, sums.map(rollupOf))
}

function keyOf({ num, start_at: startAt }: { num: number; start_at: number }): string {
  return `${num} ${startAt}`
}

function rollupOf({ orgId, num, startAt, totals, imported = null }: MonitorTotals): Rollup {
  return { ...totals, orgId, num, startAt, responses: histogramText(totals.responses), imported }
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
      periods.map(({ hourStart, totals }) => ({ orgId, num, startAt: hourStart, totals })),
    )
  yield* replaceImported(
    hours,
    of('hours').filter(({ startAt }) => startAt > keptFrom),
  )
  yield* replaceImported(days, of('days'))
  const today = Math.floor(now / DAY_MS) * DAY_MS
  const from = today - (UPTIME_DAYS - 1) * DAY_MS
  yield* sendAll(
    storeUptime,
    list.map(({ orgId, num }) => ({ orgId, num, startAt: from })),
  )
}

function* replaceImported(to: typeof hours, given: readonly MonitorTotals[]): DbWork<void> {
  const stored = new Map((yield* allOf(to.read, given)).map((row) => [keyOf(row), row]))
  const replaced = given.map((one) => {
    const row = stored.get(keyOf({ num: one.num, start_at: one.startAt }))
    const imported = JSON.stringify(one.totals)
    if (row === undefined) return { ...one, imported }
    const measured = row.imported === null ? totalsOf(row) : difference(totalsOf(row), JSON.parse(row.imported))
    return { ...one, totals: sumTotals([measured, one.totals]), imported }
  })
  yield* allOf(to.write, replaced.map(rollupOf))
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
