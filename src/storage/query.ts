/**
 * How code talks to the database.
 *
 * A query is built once with Kysely, by `statement`, and compiled once for each engine. Code that uses queries is a
 * generator, `DbWork`: it yields one step at a time (`yield* first(byId, { orgId, id })`) and receives the rows. It has no
 * access to a connection and cannot await anything, so a transaction never spans a network call. `database.read` and
 * `database.write` run it: SQLite runs all steps within one turn of the event loop, PostgreSQL awaits each step.
 *
 * Each awaited step is a round trip to PostgreSQL. `send` runs a statement without waiting for its result, `sideBySide`
 * and `runEach` send several at once.
 *
 * After a deadlock or serialization failure `write` runs the work again from the start. So work has no effects outside the
 * database.
 */
import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  type RootOperationNode,
  type SelectQueryNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely'
import type { Schema } from './schema.ts'

/** Builds queries but cannot run them: each engine has its own compiler. */
export const q = new Kysely<Schema>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
})

export interface QueryBuilder<Row> {
  compile(...args: never[]): CompiledQuery<Row>
  toOperationNode(): object
}

/**
 * Represents a value while a statement is built; the value is filled in when the statement runs. The builder runs only
 * once, so computing with a placeholder would compile a wrong constant into the statement: it throws instead.
 */
export class Placeholder {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }

  [Symbol.toPrimitive](): never {
    throw new TypeError(`A statement placeholder has no value yet: compute with "${this.name}" in the caller`)
  }

  toString(): string {
    return this[Symbol.toPrimitive]()
  }

  toJSON(): never {
    return this[Symbol.toPrimitive]()
  }
}

const placeholders = new Proxy({}, { get: (_, name) => new Placeholder(String(name)) })

declare const types: unique symbol
let statements = 0

/** A statement of any values and rows, as the engines handle it. */
export interface AnyStatement {
  readonly id: number
  /** Its rows may be cached until the next commit. */
  readonly cacheable: boolean
  readonly node: RootOperationNode
}

/** A query that is built once and run many times: building a query takes longer than running it. */
export class Statement<V, Row> implements AnyStatement {
  declare readonly [types]: { values: V; row: Row }
  readonly id = ++statements
  readonly cacheable: boolean
  readonly #build: (values: V) => QueryBuilder<Row>
  #node: RootOperationNode | undefined

  constructor(build: (values: V) => QueryBuilder<Row>, isCacheable: boolean) {
    this.#build = build
    this.cacheable = isCacheable
  }

  get node(): RootOperationNode {
    this.#node ??= this.#build(placeholders as V).toOperationNode() as RootOperationNode
    return this.#node
  }
}

declare const reads: unique symbol

/** A statement that only reads. */
export type Read<V, Row> = Statement<V, Row> & { readonly [reads]: true }

interface SelectBuilder<Row> extends QueryBuilder<Row> {
  toOperationNode(): SelectQueryNode
}

/** `build` receives a `Placeholder` for each value, so it can pass values on but not compute with them. */
export function statement<V extends object, Row>(build: (values: V) => SelectBuilder<Row>): Read<V, Row>
export function statement<V extends object, Row>(build: (values: V) => QueryBuilder<Row>): Statement<V, Row>
export function statement<V extends object, Row>(build: (values: V) => QueryBuilder<Row>): Statement<V, Row> {
  return new Statement(build, false)
}

/** A read that many requests repeat. SQLite caches its rows until the next commit. */
export function cacheable<V extends object, Row>(build: (values: V) => SelectBuilder<Row>): Read<V, Row> {
  return new Statement(build, true) as Read<V, Row>
}

export type Step =
  | QueryStep
  /** Several statements that are sent at once. */
  | { readonly together: readonly QueryStep[] }
  | { readonly notices: readonly ChangeNotice[] }
  /** The rest of a read sees one snapshot. */
  | { readonly snapshot: true }
  /** Commits what bulk work has done so far. */
  | { readonly portion: true }

export type QueryStep =
  | {
      readonly statement: AnyStatement
      readonly values: Values
      /** The result is not needed; an error is converted by this function and thrown later. See `send`. */
      readonly deferred?: (error: unknown) => unknown
    }
  | { readonly statement: AnyStatement; readonly list: readonly Values[] }
  | { readonly batch: AnyBatch; readonly list: readonly Values[]; readonly deferred?: (error: unknown) => unknown }
  | { readonly query: RootOperationNode }

/** A statement for a list of values, as the engines handle it (see batch.ts). */
export interface AnyBatch {
  /** For one of the values. */
  readonly each: AnyStatement
  /** For all of them, bound to `arrays`. */
  readonly together: AnyStatement
  arrays(list: readonly Values[]): Values
}

export type Values = Readonly<Record<string, unknown>>

/** A change of one resource. Watchers receive it after the commit. */
export interface ChangeNotice {
  readonly orgId: string
  /** The kind of resource, such as `monitor`. */
  readonly kind: string
  /** Null if any resource of the kind may have changed. */
  readonly id: string | null
}

export interface StepResult {
  readonly rows: readonly unknown[]
  readonly changes: number
  /** For a list of values: the number of rows changed by each. */
  readonly changesOfEach?: readonly number[]
  /** For statements sent together: the rows of each. */
  readonly rowsOfEach?: readonly (readonly unknown[])[]
  /** What was computed from the rows (see `derived`). */
  derived?: unknown
}

/** A unit of database work that returns a T. See the top of this file. */
export type DbWork<T> = Generator<Step, T, StepResult>

/** Work whose steps are single reads. */
export type DbRead<T> = Generator<ReadStep, T, StepResult>

type ReadStep = QueryStep & { readonly [reads]: true }

export function all<V extends object, Row>(of: Read<V, Row>, values: NoInfer<V>): DbRead<readonly Row[]>
export function all<V extends object, Row>(of: Statement<V, Row>, values: NoInfer<V>): DbWork<readonly Row[]>
export function* all<V extends object, Row>(of: Statement<V, Row>, values: NoInfer<V>): DbWork<readonly Row[]> {
  return (yield queryOf(of, values)).rows as readonly Row[]
}

export function first<V extends object, Row>(of: Read<V, Row>, values: NoInfer<V>): DbRead<Row | undefined>
export function first<V extends object, Row>(of: Statement<V, Row>, values: NoInfer<V>): DbWork<Row | undefined>
export function* first<V extends object, Row>(of: Statement<V, Row>, values: NoInfer<V>): DbWork<Row | undefined> {
  return (yield queryOf(of, values)).rows[0] as Row | undefined
}

/** What `compute` makes of the rows. It depends on nothing else: where rows are cached, so is this. */
export function* derived<V extends object, Row, T>(
  of: Statement<V, Row>,
  values: NoInfer<V>,
  compute: (rows: readonly Row[]) => T,
): DbWork<T> {
  const result = yield queryOf(of, values)
  result.derived ??= compute(result.rows as readonly Row[])
  return result.derived as T
}

/** Runs a statement and returns the number of rows it changed. */
export function* run<V extends object, Row>(of: Statement<V, Row>, values: NoInfer<V>): DbWork<number> {
  return (yield queryOf(of, values)).changes
}

/**
 * Runs a statement once for each of the values and returns the number of rows changed by each. PostgreSQL receives them
 * in one round trip.
 */
export function* runEach<V extends object, Row>(
  of: Statement<V, Row>,
  list: readonly NoInfer<V>[],
): DbWork<readonly number[]> {
  if (list.length === 0) return []
  return (yield { statement: of, list: list as readonly Values[] }).changesOfEach ?? []
}

/**
 * Runs a statement whose result is not needed. In a PostgreSQL transaction the work does not wait for it: an error is thrown by
 * the next step or by the commit instead of here. `explain` converts the error on both engines.
 */
export function* send<V extends object, Row>(
  of: Statement<V, Row>,
  values: NoInfer<V>,
  explain: (error: unknown) => unknown = unchanged,
): DbWork<void> {
  try {
    yield { statement: of, values: values as Values, deferred: explain }
  } catch (error) {
    throw explain(error)
  }
}

function unchanged(error: unknown): unknown {
  return error
}

/**
 * Runs works that do not depend on each other, step by step side by side: PostgreSQL receives a step of each at once, on one
 * connection, and runs them in order.
 */
export function* sideBySide<T extends readonly unknown[]>(
  ...works: { readonly [K in keyof T]: DbRead<T[K]> }
): DbWork<T> {
  const states = works.map((work) => work.next())
  for (;;) {
    const waiting = states.flatMap((state, i) => (state.done === true ? [] : [{ i, step: state.value }]))
    if (waiting.length === 0) return states.map(({ value }) => value) as unknown as T
    const { rowsOfEach = [] } = yield { together: waiting.map(({ step }) => step) }
    for (const [at, { i }] of waiting.entries()) {
      states[i] = (works[i] as DbRead<unknown>).next({ rows: rowsOfEach[at] ?? [], changes: 0 })
    }
  }
}

/**
 * From here on, a read sees the database as it was at one moment. For lists that read their total and their page with
 * separate statements. On SQLite a read never waits, so no other request can change anything in between.
 */
export function* inOneSnapshot(): DbWork<void> {
  yield { snapshot: true }
}

/**
 * Waits for the statements of `send` and `sendAll` so far; there must be one. For work that sends so much that the event loop has
 * to be free in between.
 */
export function* awaitSent(): DbWork<void> {
  yield { together: [] }
}

/**
 * Commits what the work has done so far and lets others write. What follows is another transaction. Only for bulk work that may be
 * repeated from the start. On SQLite the transaction goes on if nobody waits.
 */
export function* commitPortion(): DbWork<void> {
  yield { portion: true }
}

/** Gives the event loop back within bulk work, whose transaction goes on. */
export function* letOthersRun(): DbWork<void> {
  yield { query: q.selectNoFrom(sql.lit(1).as('one')).toOperationNode() }
}

const SLICE_MS = 10

/** Returns work that gives the event loop back if 10 ms have passed since it last did, for bulk work whose portions vary. */
export function createRest(): () => DbWork<void> {
  let startedAt = performance.now()
  return function* () {
    if (performance.now() - startedAt < SLICE_MS) return
    yield* letOthersRun()
    startedAt = performance.now()
  }
}

/** Runs a query that is built for one use, such as a list with optional filters. */
export function execute<Row>(built: SelectBuilder<Row>): DbRead<readonly Row[]>
export function execute<Row>(built: QueryBuilder<Row>): DbWork<readonly Row[]>
export function* execute<Row>(built: QueryBuilder<Row>): DbWork<readonly Row[]> {
  return (yield { query: built.toOperationNode() as RootOperationNode }).rows as readonly Row[]
}

/** Notifies watchers, on this node and others, after the commit. Sends nothing while nobody watches. */
export function* notifyWatchers(...notices: readonly ChangeNotice[]): DbWork<void> {
  yield { notices }
}

/** Work without a query, where an interface asks for work. */
export function* constant<T>(value: T): DbRead<T> {
  yield* []
  return value
}

function queryOf(of: AnyStatement, values: object): QueryStep {
  return { statement: of, values: values as Values }
}
