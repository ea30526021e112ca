import {
  type Expression,
  type ExpressionBuilder,
  type RawBuilder,
  type Selectable,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
  type UpdateQueryBuilder,
  type UpdateResult,
} from 'kysely'
import { claimantsOf } from '../nodes/claimants.ts'
import type { ClaimTable, CrashedRow } from '../nodes/release.ts'
import { all, type DbWork, first, run, type Statement, statement } from '../query.ts'
import type { Schema } from '../schema.ts'
import { forgetCrashes, noteCrashes } from './crashes.ts'
import { loose, oldestRows } from './oldest-rows.ts'

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
export type Claimed<T extends QueueTable, K extends Column<T>, C extends Column<T>> = Lease<T, K> &
  Pick<Row<T>, C> & {
    /** How often in a row its processing has crashed. */
    readonly crashes: number
  }

export interface ClaimRequest {
  readonly node: string
  readonly now: number
  readonly limit: number
  /** Rows are claimed that were due by then; `now` if absent. */
  readonly dueBy?: number
}

type Filter<T extends QueueTable> = (is: ExpressionBuilder<Schema, T>) => Expression<SqlBool>

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
  readonly #releaseOf: Statement<{ node: string; now: number }, { rowKey: string }>

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
        .where('claimed_by', '=', node)
        .returning(this.#rowKey.as('rowKey')),
    )
  }

  /** Claims due rows that match the filter, the longest due first. Rows that crashed are not claimed before they may be retried. */
  claiming(filter?: Filter<T>): (request: ClaimRequest) => DbWork<readonly Claimed<T, K, C>[]> {
    const { table, due, counter }: { table: string; due: string; counter?: string } = this.spec
    const { key, columns, leaseMs } = this.spec
    const keys = sql.join(key.map((column) => sql.ref(column)))
    const crashed = sql`from crashed_rows c where c.queue = ${sql.lit(table)} and c.row_key = ${this.#rowKey}`
    const take = statement((values: { node: string; now: number; dueBy: number; until: number; limit: number }) => {
      const { node, now, dueBy, until, limit } = values
      return (
        loose
          // Materialised, because PostgreSQL may otherwise run the subquery several times and lock more than the limit.
          // The key cannot change here, so inserting rows that refer to it does not wait for the claim.
          .with(
            (name) => name('due_rows').materialized(),
            () =>
              oldestRows(table, key, due, dueBy, filter)
                .where(sql<boolean>`not exists (select 1 ${crashed} and c.retry_at > ${now})`)
                .limit(limit)
                .forNoKeyUpdate()
                .skipLocked(),
          )
          .updateTable(table)
          .set({ [due]: until, claimed_by: node, ...(counter && { [counter]: sql`${sql.ref(counter)} + 1` }) })
          .where(sql<boolean>`(${keys}) in (select ${keys} from due_rows)`)
          .returning([...new Set<string>([...key, ...columns])])
          .returning(sql<number>`coalesce((select c.crashes ${crashed}), 0)`.as('crashes'))
          .$castTo<Pick<Row<T>, K | C> & { readonly crashes: number }>()
      )
    })
    return function* ({ node, now, limit, dueBy = now }) {
      if (limit <= 0) return []
      const until = now + leaseMs
      const rows = yield* all(take, { node, now, dueBy, until, limit })
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

  /** The row may be claimed again when the error, the time and their number so far allow. Undefined if it was no longer this claim's. */
  *releaseCrashed(lease: Lease<T, K>, now: number, random = Math.random): DbWork<CrashedRow | undefined> {
    if (!(yield* this.release(lease, now))) return undefined
    return (yield* noteCrashes(this.spec.table, [this.#keyOf(lease)], 'threw', now, random))[0]
  }

  /** The row was processed: earlier crashes no longer count. */
  *forgetCrashes(lease: Lease<T, K>): DbWork<void> {
    yield* forgetCrashes(this.spec.table, this.#keyOf(lease))
  }

  *releaseOf(node: string, now: number): DbWork<number> {
    return yield* run(this.#releaseOf, { node, now })
  }

  *releaseOfDead(node: string, now: number, random = Math.random): DbWork<readonly CrashedRow[]> {
    const released = yield* all(this.#releaseOf, { node, now })
    const rowKeys = released.map(({ rowKey }) => rowKey)
    return yield* noteCrashes(this.spec.table, rowKeys, 'ended', now, random)
  }

  *claimants(): DbWork<readonly string[]> {
    return (yield* all(this.#claimants, {})).map(({ name }) => name)
  }

  /** The key of a row as crashes name it. */
  get #rowKey(): RawBuilder<string> {
    const columns = this.spec.key.map((column) => sql.ref(`${this.spec.table}.${column}`))
    return sql<string>`${sql.join(columns, sql` || ' ' || `)}`
  }

  #keyOf(lease: Lease<T, K>): string {
    return this.spec.key.map((column) => lease[column]).join(' ')
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
