import { sql } from 'kysely'
import { DAY_MS } from '../../lib/clock.ts'
import { isoTimestamp } from '../../lib/timestamp.ts'
import type { Database } from '../../storage/database.ts'
import { lockForTransaction } from '../../storage/transaction-lock.ts'
import { type DbWork, execute, q, runEach, type Statement, statement } from '../../storage/query.ts'

/** A raw result: as narrow as can be, for it is stored by the million. */
export interface RawResult {
  readonly num: number
  readonly at: number
  readonly state: 'UP' | 'DEGRADED' | 'DOWN'
  readonly responseMs: number | null
  /** How long results of its organization are kept. */
  readonly keepDays: number
}

export const stateNumbers = { UP: 1, DEGRADED: 2, DOWN: 3 } as const

/**
 * Results are appended to a part for their day and for the time that their plan keeps them. The part of the day has no
 * index, which makes appending several times as fast; it gets one when its day is over. Retention drops whole parts.
 */
export function partOf(at: number, keepDays: number): string {
  return `results_${isoTimestamp(at).slice(0, 10).replaceAll('-', '')}_${keepDays}d`
}

interface Row {
  num: number
  at: number
  state: number
  ms: number | null
}

/** One statement per part; yesterday's go when there are more than a few. */
const appends = new Map<string, Statement<Row, unknown>>()
const MOST_APPENDS = 32

function appendTo(part: string): Statement<Row, unknown> {
  let append = appends.get(part)
  if (append === undefined) {
    append = statement((r: Row) =>
      // The parts are not in the typed schema: their names come with the days.
      (q as unknown as { insertInto(table: string): { values(row: Row): never } })
        .insertInto(part)
        .values({ num: r.num, at: r.at, state: r.state, ms: r.ms }),
    )
    if (appends.size >= MOST_APPENDS) appends.clear()
    appends.set(part, append)
  }
  return append
}

/** Appends results to their parts, which must be there (see `ensureParts`). */
export function* appendResults(results: readonly RawResult[]): DbWork<void> {
  const days = Map.groupBy(results, ({ at, keepDays }) => Math.floor(at / DAY_MS) * MOST_KEEP_DAYS + keepDays)
  for (const its of days.values()) {
    const { at, keepDays } = its[0] as RawResult
    yield* runEach(appendTo(partOf(at, keepDays)), its.map(rowOf))
  }
}

/** More than any plan keeps. */
const MOST_KEEP_DAYS = 1_000_000

function rowOf({ num, at, state, responseMs }: RawResult): Row {
  return { num, at, state: stateNumbers[state], ms: responseMs }
}

/** Makes the parts of a day for every time that some plan keeps results. */
export async function ensureParts(database: Database, at: number, keepDays: readonly number[]): Promise<void> {
  const dayAt = Math.floor(at / DAY_MS) * DAY_MS
  await database.write(function* (): DbWork<void> {
    yield* lockForTransaction(database.engine, 'result parts')
    for (const days of keepDays) {
      const name = partOf(at, days)
      yield* execute(
        sql`create table if not exists ${sql.table(name)} (num bigint not null, at bigint not null, state smallint not null, ms bigint)`,
      )
      yield* execute(
        q
          .insertInto('result_parts')
          .values({ name, day_at: dayAt, keep_days: days, indexed_at: null })
          .onConflict((conflict) => conflict.column('name').doNothing()),
      )
    }
  })
}

/** Parts whose day is over get their index, those whose time is over go; one at a time, and it says whether there is more. */
export async function tendParts(database: Database, now: number): Promise<boolean> {
  return database.write(function* (): DbWork<boolean> {
    yield* lockForTransaction(database.engine, 'result parts')
    const [old] = yield* execute(
      q
        .selectFrom('result_parts')
        .select('name')
        .where(sql<number>`day_at + (keep_days + 1) * ${sql.lit(DAY_MS)}`, '<=', now)
        .limit(1),
    )
    if (old !== undefined) {
      yield* execute(sql`drop table if exists ${sql.table(old.name)}`)
      yield* execute(q.deleteFrom('result_parts').where('name', '=', old.name))
      return true
    }
    const [closed] = yield* execute(
      q
        .selectFrom('result_parts')
        .select('name')
        .where('indexed_at', 'is', null)
        .where('day_at', '<=', now - DAY_MS - LATE_RESULTS_MS)
        .limit(1),
    )
    if (closed === undefined) return false
    yield* execute(
      sql`create index if not exists ${sql.ref(`${closed.name}_of`)} on ${sql.table(closed.name)} (num, at)`,
    )
    yield* execute(q.updateTable('result_parts').set({ indexed_at: now }).where('name', '=', closed.name))
    return true
  })
}

/** A check that began before midnight may land this long after it. */
const LATE_RESULTS_MS = 600_000
