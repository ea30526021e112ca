import { type Kysely, sql } from 'kysely'
import { DAY_MS } from '../../lib/clock.ts'
import { isoTimestamp } from '../../lib/timestamp.ts'
import type { Database } from '../../storage/database.ts'
import { allOf, type Batch, batch } from '../../storage/batch.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { lockForTransaction } from '../../storage/transaction-lock.ts'

/** One row of a check, with as few columns as possible: there are millions. */
export interface RawResult {
  readonly num: number
  readonly at: number
  readonly state: 'UP' | 'DEGRADED' | 'DOWN'
  readonly responseMs: number | null
  /** For how many days the organization's plan keeps it. */
  readonly keepDays: number
}

export const stateCodes = { UP: 1, DEGRADED: 2, DOWN: 3 } as const

/**
 * The table of results for one day and retention time. While its day lasts it has no index, which makes appending several
 * times as fast; the index is created afterwards. Retention drops whole tables.
 */
export function partitionName(at: number, keepDays: number): string {
  return `results_${isoTimestamp(at).slice(0, 10).replaceAll('-', '')}_${keepDays}d`
}

interface Row {
  num: number
  at: number
  state: number
  ms: number | null
}

/** One insert statement per partition. */
const inserts = new Map<string, Batch<Row, unknown>>()
const MAX_CACHED_INSERTS = 32
const columns = ['num', 'at', 'state', 'ms'] as const

function insertInto(partition: string): Batch<Row, unknown> {
  let insert = inserts.get(partition)
  if (insert === undefined) {
    insert = batch<Row>({ num: 'bigint', at: 'bigint', state: 'smallint', ms: 'bigint' }, (r, rows) => {
      // Partitions are created at run time, so they are not in the typed schema.
      const into = (q as unknown as Kysely<Record<string, Row>>).insertInto(partition)
      if (rows === undefined) return into.values({ num: r.num, at: r.at, state: r.state, ms: r.ms })
      return into.columns(columns).expression(q.selectFrom(rows.table).select(columns) as never)
    })
    if (inserts.size >= MAX_CACHED_INSERTS) inserts.clear()
    inserts.set(partition, insert)
  }
  return insert
}

/** Appends results to their partitions, which must exist (see `ensurePartitions`). */
export function* appendResults(results: readonly RawResult[]): DbWork<void> {
  const partitions = Map.groupBy(results, ({ at, keepDays }) => partitionName(at, keepDays))
  for (const [partition, its] of partitions) yield* allOf(insertInto(partition), its.map(rowOf))
}

function rowOf({ num, at, state, responseMs }: RawResult): Row {
  return { num, at, state: stateCodes[state], ms: responseMs }
}

/** Creates the partitions of a day, one for each retention time. */
export async function ensurePartitions(database: Database, at: number, keepDays: readonly number[]): Promise<void> {
  const dayAt = Math.floor(at / DAY_MS) * DAY_MS
  await database.write(function* (): DbWork<void> {
    yield* lockForTransaction(database.engine, 'result parts')
    for (const days of keepDays) {
      const name = partitionName(at, days)
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

/** Drops one expired partition, or indexes one whose day is over. False if there is nothing left to do. */
export async function maintainPartitions(database: Database, now: number): Promise<boolean> {
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

/** The result of a check that began before midnight may be saved this long after it. */
const LATE_RESULTS_MS = 600_000
