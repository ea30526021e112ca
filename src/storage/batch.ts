import {
  type AliasedRawBuilder,
  type Insertable,
  type InsertObject,
  type InsertQueryBuilder,
  type InsertResult,
  type RawBuilder,
  sql,
} from 'kysely'
import {
  type AnyBatch,
  type DbWork,
  Placeholder,
  type QueryBuilder,
  q,
  type Statement,
  statement,
  type Values,
} from './query.ts'
import type { Schema } from './schema.ts'

type ColumnType = 'bigint' | 'smallint' | 'double precision' | 'text'

/** All rows of values as a table, while the statement for PostgreSQL is built. */
export interface BatchRows {
  readonly table: AliasedRawBuilder<Record<string, unknown>, 'v'>
  /** The position of a row in the list. */
  readonly index: AliasedRawBuilder<number, 'i'>
}

type BuildBatch<V, Row> = (values: V, rows: BatchRows | undefined) => QueryBuilder<Row>

/** A statement for a list of values. */
export interface Batch<V, Row> extends AnyBatch {
  readonly each: Statement<V, Row>
}

/**
 * A statement for a list of values. SQLite runs it once for each. PostgreSQL runs it once for all, with an array per column: there a
 * statement costs several times as much as the row it writes. `build` is called once with a placeholder for each value and without
 * rows, and once with the columns of `rows.table`, which it then has to select from. Both describe the same statement.
 */
export function batch<V extends object, Row = unknown>(
  types: Readonly<Record<keyof V & string, ColumnType>>,
  build: BuildBatch<V, Row>,
): Batch<V, Row> {
  const columns = Object.entries<ColumnType>(types)
  return {
    each: statement((values: V) => build(values, undefined)),
    together: statement(() => {
      const values = Object.fromEntries(columns.map(([name]) => [name, sql.ref(`v.${name}`)]))
      return build(values as V, rowsWith(columns))
    }),
    // As PostgreSQL literals.
    arrays(list) {
      const arrays: Record<string, string> = {}
      for (const [name, type] of columns) {
        const elements = list.map((values) => values[name])
        arrays[name] = `{${type === 'text' ? elements.map(quoted).join() : elements.map(plain).join()}}`
      }
      return arrays
    },
  }
}

function rowsWith(columns: readonly (readonly [name: string, type: ColumnType])[]): BatchRows {
  const arrays = columns.map(([name, type]) => sql`cast(${new Placeholder(name)} as ${sql.raw(`${type}[]`)})`)
  const names = [...columns.map(([name]) => name), 'i'].map((name) => sql.ref(name))
  return {
    table: sql<Record<string, unknown>>`unnest(${sql.join(arrays)}) with ordinality`.as<'v'>(
      sql`v(${sql.join(names)})` as RawBuilder<unknown>,
    ),
    index: sql<number>`v.i`.as('i'),
  }
}

function plain(value: unknown): unknown {
  return value ?? 'NULL'
}

function quoted(value: unknown): string {
  return value === null ? 'NULL' : `"${String(value).replace(/["\\]/g, '\\$&')}"`
}

/** An insert of the values, or of all rows. Values that are no columns of the rows are constants. */
export function insertRows<T extends keyof Schema & string>(
  table: T,
  values: InsertObject<Schema, T>,
  rows: BatchRows | undefined,
): InsertQueryBuilder<Schema, T, InsertResult> {
  const into = q.insertInto(table)
  if (rows === undefined) return into.values(values)
  const selected = Object.entries<unknown>(values).map(([column, value]) =>
    (isExpression(value) ? value : sql.lit(value)).as(column),
  )
  const all = q.selectFrom(rows.table).select(selected)
  return into.columns(Object.keys(values) as never).expression(all as never)
}

/** Inserts rows of a table; the values are its columns with these types. `extend` adds what follows, such as `onConflict`. */
export function insertBatch<T extends keyof Schema & string, C extends keyof Schema[T] & string, Row = unknown>(
  table: T,
  types: Readonly<Record<C, ColumnType>>,
  extend: (insert: InsertQueryBuilder<Schema, T, InsertResult>) => QueryBuilder<Row> = (insert) => insert as never,
): Batch<Pick<Insertable<Schema[T]>, C & keyof Insertable<Schema[T]>>, Row> {
  const columns = Object.keys(types)
  return batch<Record<string, unknown>, Row>(types, (row, rows) =>
    extend(insertRows(table, Object.fromEntries(columns.map((name) => [name, row[name]])) as never, rows)),
  ) as never
}

function isExpression(value: unknown): value is RawBuilder<unknown> {
  return typeof value === 'object' && value !== null && 'as' in value
}

/** An update for all rows; without rows the update as it is. */
export function fromRows<Q>(update: Q, rows: BatchRows | undefined): Q {
  if (rows === undefined) return update
  return (update as { from(table: BatchRows['table']): Q }).from(rows.table)
}

/** A deletion for all rows; without rows the deletion as it is. */
export function usingRows<Q>(deletion: Q, rows: BatchRows | undefined): Q {
  if (rows === undefined) return deletion
  return (deletion as { using(table: BatchRows['table']): Q }).using(rows.table)
}

/** A query for all rows; without rows the query as it is. */
export function joinRows<Q>(query: Q, rows: BatchRows | undefined): Q {
  if (rows === undefined) return query
  type Join = (on: { onTrue(): unknown }) => unknown
  return (query as { innerJoin(table: BatchRows['table'], join: Join): Q }).innerJoin(rows.table, (on) => on.onTrue())
}

/** Runs it for all values; the rows are in no particular order. */
export function* allOf<V extends object, Row>(of: Batch<V, Row>, list: readonly NoInfer<V>[]): DbWork<readonly Row[]> {
  if (list.length === 0) return []
  return (yield { batch: of, list: list as readonly Values[] }).rows as readonly Row[]
}

/** Runs it for all values without waiting for the result (see `send`). */
export function* sendAll<V extends object, Row>(of: Batch<V, Row>, list: readonly NoInfer<V>[]): DbWork<void> {
  if (list.length > 0) yield { batch: of, list: list as readonly Values[], deferred: (error) => error }
}

/** Runs it for all values and returns for each whether it changed a row. With `rows` the statement returns `rows.index`. */
export function* changedByEach<V extends object>(
  of: Batch<V, { i: number }>,
  list: readonly NoInfer<V>[],
): DbWork<readonly boolean[]> {
  if (list.length === 0) return []
  const { rows, changesOfEach } = yield { batch: of, list: list as readonly Values[] }
  if (changesOfEach !== undefined) return changesOfEach.map((changes) => changes > 0)
  const changed = list.map(() => false)
  for (const { i } of rows as readonly { i: number }[]) changed[i - 1] = true
  return changed
}
