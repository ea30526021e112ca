import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import { type DbWork, run, statement } from '../query.ts'
import type { Schema } from '../schema.ts'
import { loose, oldestRows } from './oldest-rows.ts'

interface Pruning<T extends keyof Schema> {
  readonly table: T
  /** The columns of the primary key. */
  readonly key: readonly (keyof Schema[T] & string)[]
  /** The column with the time that decides; rows where it is null stay. */
  readonly by: keyof Schema[T] & string
  /** Rows stay for so long after their time. Default: 0. */
  readonly keptMs?: number
  readonly filter?: (is: ExpressionBuilder<Schema, T>) => Expression<SqlBool>
}

/**
 * A constant in the statement: PostgreSQL would plan for a tenth of the table if the limit were a parameter, and so scan
 * all of it.
 */
const MAX_AT_ONCE = 500

/**
 * Returns a function that deletes the oldest rows whose time is over, at most `limit` of them and at most 500; it returns how
 * many. Rows that another transaction has locked are left for the next call.
 */
export function pruning<T extends keyof Schema>(spec: Pruning<T>) {
  const { table, key, by }: { table: string; key: readonly string[]; by: string } = spec
  const { filter, keptMs = 0 } = spec
  const keys = sql.join(key.map((column) => sql.ref(column)))
  const prune = statement(({ until, limit }: { until: number; limit: number }) =>
    loose
      .with(
        // Materialised, so that PostgreSQL runs the subquery once and the limit holds.
        (name) => name('old_rows').materialized(),
        () => oldestRows(table, key, by, until, filter).limit(sql.lit(MAX_AT_ONCE)).forUpdate().skipLocked(),
      )
      .deleteFrom(table)
      .where(sql<boolean>`(${keys}) in (select ${keys} from old_rows limit ${limit})`),
  )
  return (now: number, limit: number): DbWork<number> => run(prune, { until: now - keptMs, limit })
}
