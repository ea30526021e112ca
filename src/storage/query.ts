import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  type RootOperationNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { Schema } from './schema.ts'

/** Builds queries and runs none: each engine compiles what is built here with its own compiler. */
export const q = new Kysely<Schema>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
})

interface Built<Row> {
  compile(...args: never[]): CompiledQuery<Row>
  toOperationNode(): object
}

/** Stands in a statement where a value will stand when it runs. */
export class Placeholder {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

const placeholders = new Proxy({}, { get: (_, name) => new Placeholder(String(name)) })

declare const types: unique symbol
let statements = 0

/** A statement whose types nobody needs any more. */
export interface AnyStatement {
  readonly id: number
  /** Its rows may be kept for as long as nothing was committed. */
  readonly cacheable: boolean
  readonly node: RootOperationNode
}

/** A query built once. Building costs more than running it does, so hot paths never build. */
export class Statement<V, Row> implements AnyStatement {
  declare readonly [types]: { values: V; row: Row }
  readonly id = ++statements
  readonly cacheable: boolean
  readonly #build: (values: V) => Built<Row>
  #node: RootOperationNode | undefined

  constructor(build: (values: V) => Built<Row>, isCacheable: boolean) {
    this.#build = build
    this.cacheable = isCacheable
  }

  get node(): RootOperationNode {
    this.#node ??= this.#build(placeholders as V).toOperationNode() as RootOperationNode
    return this.#node
  }
}

export function statement<V extends object, Row>(build: (values: V) => Built<Row>): Statement<V, Row> {
  return new Statement(build, false)
}

/** A read that requests repeat: an engine that can tell that nothing was committed since may answer from memory. */
export function cacheable<V extends object, Row>(build: (values: V) => Built<Row>): Statement<V, Row> {
  return new Statement(build, true)
}

/** One thing asked of the database, or something to tell whoever is watching. */
export type Step = QueryStep | { readonly told: readonly ChangeNotice[] }

export type QueryStep =
  | { readonly statement: AnyStatement; readonly values: Values }
  | { readonly statement: AnyStatement; readonly list: readonly Values[] }
  | { readonly query: RootOperationNode }

export type Values = Readonly<Record<string, unknown>>

/** Something that was changed: told once it is committed, and only then. */
export interface ChangeNotice {
  readonly orgId: string
  /** What it is, such as `monitor`. */
  readonly kind: string
  /** Null where any of its kind may have changed. */
  readonly id: string | null
}

export interface StepResult {
  readonly rows: readonly unknown[]
  readonly changes: number
  /** What each of a list changed. */
  readonly changesOfEach?: readonly number[]
}

/**
 * Work on the database: a generator that asks for one step after the other and can wait for nothing else. That is what
 * keeps a transaction from spanning a network wait. SQLite runs it without ever leaving the current turn of the event
 * loop, PostgreSQL awaits each step. Work that is run as a write may run again from the start after a collision, so it
 * changes nothing outside the database.
 */
export type DbWork<T> = Generator<Step, T, StepResult>

export function* all<V extends object, Row>(of: Statement<V, Row>, values: NoInfer<V>): DbWork<readonly Row[]> {
  return (yield stepOf(of, values)).rows as readonly Row[]
}

export function* first<V extends object, Row>(of: Statement<V, Row>, values: NoInfer<V>): DbWork<Row | undefined> {
  return (yield stepOf(of, values)).rows[0] as Row | undefined
}

/** Runs a statement for its effect and says how many rows it changed. */
export function* run<V extends object, Row>(of: Statement<V, Row>, values: NoInfer<V>): DbWork<number> {
  return (yield stepOf(of, values)).changes
}

/**
 * Runs a statement once for each of the values and says how many rows each changed. Where the database is across a
 * network they travel together.
 */
export function* runEach<V extends object, Row>(
  of: Statement<V, Row>,
  list: readonly NoInfer<V>[],
): DbWork<readonly number[]> {
  if (list.length === 0) return []
  return (yield { statement: of, list: list as readonly Values[] }).changesOfEach ?? []
}

/** For queries whose very shape depends on the request, such as filtered lists. */
export function* execute<Row>(built: Built<Row>): DbWork<readonly Row[]> {
  return (yield { query: built.toOperationNode() as RootOperationNode }).rows as readonly Row[]
}

/** Tells whoever is watching. It is no question: it costs nothing where nobody is. */
export function* notifyWatchers(...told: readonly ChangeNotice[]): DbWork<void> {
  yield { told }
}

/** Work that has nothing to ask: what comes of it is known. */
export function* constant<T>(value: T): DbWork<T> {
  yield* []
  return value
}

function stepOf(of: AnyStatement, values: object): Step {
  return { statement: of, values: values as Values }
}
