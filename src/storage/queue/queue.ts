import {
  type Expression,
  type ExpressionBuilder,
  type Kysely,
  type RawBuilder,
  type Selectable,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
  type UpdateQueryBuilder,
  type UpdateResult,
} from 'kysely'
import { claimantsOf } from '../nodes/claimants.ts'
import type { ClaimTable } from '../nodes/release.ts'
import { all, type DbWork, first, q, run, type Statement, statement } from '../query.ts'
import type { Schema } from '../schema.ts'

/** A table whose rows nodes claim. */
export type QueueTable = {
  [T in keyof Schema]: 'claimed_by' extends keyof Schema[T] ? T : never
}[keyof Schema]

type Row<T extends QueueTable> = Selectable<Schema[T]>
type Column<T extends QueueTable> = keyof Row<T> & string

export interface QueueSpec<T extends QueueTable, K extends Column<T>, C extends Column<T>> {
  readonly table: T
  /** The columns of the primary key. */
  readonly key: readonly K[]
  /** The column with the time at which a row is due. While the row is claimed it holds the end of the lease. */
  readonly due: Column<T>
  /** A dead node's claims are released sooner (storage/nodes); the lease is for work that hangs. */
  readonly leaseMs: number
  /** What `claim` returns besides the key. */
  readonly columns: readonly C[]
  /** Incremented by every claim. */
  readonly counter?: Column<T>
}

/** A claim on one row. */
export type Lease<T extends QueueTable, K extends Column<T>> = Pick<Row<T>, K> & {
  readonly node: string
  /** When the lease ends, as it was claimed. */
  readonly until: number
}

/** A claim with what was read of its row. */
export type Claimed<T extends QueueTable, K extends Column<T>, C extends Column<T>> = Lease<T, K> & Pick<Row<T>, C>

export interface ClaimRequest {
  readonly node: string
  readonly now: number
  readonly limit: number
  /** Rows are claimed that were due by then; `now` if absent. */
  readonly dueBy?: number
}

type Filter<T extends QueueTable> = (is: ExpressionBuilder<Schema, T>) => Expression<SqlBool>

/** Kysely cannot type a query on a table that is a type parameter. The public methods are typed instead. */
export const loose = q as unknown as Kysely<Record<string, Record<string, unknown>>>

/** The keys of the rows whose time is at or before `until`, the oldest first. */
export function oldestRows(table: string, key: readonly string[], by: string, until: number, filter?: unknown) {
  const rows = loose
    .selectFrom(table)
    .select([...key])
    .where(by, '<=', until)
  return (filter === undefined ? rows : rows.where(filter as never)).orderBy(by)
}

/**
 * A work queue: a row is due when its time has come, and the node in `claimed_by` works on it until it releases it or
 * its lease ends.
 */
export class Queue<T extends QueueTable, K extends Column<T>, C extends Column<T>> implements ClaimTable {
  readonly spec: QueueSpec<T, K, C>
  readonly claim: (request: ClaimRequest) => DbWork<readonly Claimed<T, K, C>[]>
  readonly #anyDue: Statement<{ dueBy: number }, unknown>
  readonly #release: Statement<Lease<T, K> & { dueAt: number | null }, unknown>
  readonly #remove: Statement<Lease<T, K>, unknown>
  readonly #claimants: Statement<object, { name: string }>
  readonly #releaseOf: Statement<{ node: string; now: number }, unknown>

  constructor(spec: QueueSpec<T, K, C>) {
    const { table, due }: { table: string; due: string } = spec
    this.spec = spec
    this.claim = this.claiming()
    this.#anyDue = statement(({ dueBy }) => loose.selectFrom(table).select(due).where(due, '<=', dueBy).limit(1))
    this.#release = statement((lease) =>
      loose
        .updateTable(table)
        .set({ [due]: lease.dueAt, claimed_by: null })
        .where(this.#isHeld(lease)),
    )
    this.#remove = statement((lease) => loose.deleteFrom(table).where(this.#isHeld(lease)))
    this.#claimants = claimantsOf(table)
    this.#releaseOf = statement(({ node, now }) =>
      loose
        .updateTable(table)
        .set({ [due]: now, claimed_by: null })
        .where('claimed_by', '=', node),
    )
  }

  /** Claims due rows that match the filter, the longest due first. */
  claiming(filter?: Filter<T>): (request: ClaimRequest) => DbWork<readonly Claimed<T, K, C>[]> {
    const { table, due, counter }: { table: string; due: string; counter?: string } = this.spec
    const { key, columns, leaseMs } = this.spec
    const keys = sql.join(key.map((column) => sql.ref(column)))
    const take = statement(
      ({ node, dueBy, until, limit }: { node: string; dueBy: number; until: number; limit: number }) =>
        loose
          // Materialised, because PostgreSQL may otherwise run the subquery several times and lock more than the limit.
          // The key cannot change here, so inserting rows that refer to it does not wait for the claim.
          .with(
            (name) => name('due_rows').materialized(),
            () => oldestRows(table, key, due, dueBy, filter).limit(limit).forNoKeyUpdate().skipLocked(),
          )
          .updateTable(table)
          .set({ [due]: until, claimed_by: node, ...(counter && { [counter]: sql`${sql.ref(counter)} + 1` }) })
          .where(sql<boolean>`(${keys}) in (select ${keys} from due_rows)`)
          .returning([...new Set<string>([...key, ...columns])])
          .$castTo<Pick<Row<T>, K | C>>(),
    )
    return function* ({ node, now, limit, dueBy = now }) {
      if (limit <= 0) return []
      const until = now + leaseMs
      const rows = yield* all(take, { node, dueBy, until, limit })
      return rows.map((row) => ({ ...(row as object), node, until }) as Claimed<T, K, C>)
    }
  }

  /** A read that is cheaper than a claim, for nodes that look several times a second. */
  *isAnyDue(dueBy: number): DbWork<boolean> {
    return (yield* first(this.#anyDue, { dueBy })) !== undefined
  }

  /** Ends the claim; the row is due at `dueAt`, or not at all. False if it was no longer this claim's. */
  *release(lease: Lease<T, K>, dueAt: number | null): DbWork<boolean> {
    return (yield* run(this.#release, { ...lease, dueAt })) === 1
  }

  /** Deletes the row. False if it was no longer this claim's. */
  *remove(lease: Lease<T, K>): DbWork<boolean> {
    return (yield* run(this.#remove, lease)) === 1
  }

  /** For statements that write more than `release` does, such as the outcome. They set `claimed_by` and the due column. */
  updateClaimed(lease: Lease<T, K>): UpdateQueryBuilder<Schema, T, T, UpdateResult> {
    return loose.updateTable(this.spec.table as string).where(this.#isHeld(lease)) as never
  }

  /** The claimed row, for statements that read or lock it. */
  selectClaimed(lease: Lease<T, K>): SelectQueryBuilder<Schema, T, object> {
    return loose.selectFrom(this.spec.table as string).where(this.#isHeld(lease)) as never
  }

  /** Makes everything that a node has claimed due now; returns the number of rows. */
  *releaseOf(node: string, now: number): DbWork<number> {
    return yield* run(this.#releaseOf, { node, now })
  }

  *claimants(): DbWork<readonly string[]> {
    return (yield* all(this.#claimants, {})).map(({ name }) => name)
  }

  #isHeld(lease: Lease<T, K>): RawBuilder<boolean> {
    const { key, due } = this.spec
    const isEqual = (column: string, value: unknown) => sql`${sql.ref(column)} = ${value}`
    const conditions = [
      ...key.map((column) => isEqual(column, lease[column])),
      isEqual('claimed_by', lease.node),
      isEqual(due, lease.until),
    ]
    return sql<boolean>`${sql.join(conditions, sql` and `)}`
  }
}
