import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { bind, createCompiler } from '../compile.ts'
import { NotNullViolation, UniqueViolation } from '../database.ts'
import type { ChangeNotice, DbWork, QueryStep, Step, StepResult } from '../query.ts'
import { PortableSqliteCompiler } from './compiler.ts'
import { RowCache } from './row-cache.ts'

/** How many prepared statements of queries built for one use are cached. */
const MAX_ADHOC_STATEMENTS = 200

/** How long SQLite may block the event loop waiting for another process's lock. */
const BUSY_TIMEOUT_MS = 20

/** How long bulk work keeps the event loop at a time. Writers wait for it: it takes as long as others have taken before it, within bounds. */
const MIN_SLICE_MS = 20
const MAX_SLICE_MS = 40
/** How many values of a list are written before the time is checked. */
const PORTION = 100

/** `off` is for tests: a power cut may then damage the file. */
export type Synchronous = 'normal' | 'off'

const compile = createCompiler(new PortableSqliteCompiler())

interface Prepared {
  readonly statement: StatementSync
  /** Empty if the statement returns no rows. */
  columns: readonly string[]
}

/** A synchronous connection to the database file. */
export class SqliteConnection {
  readonly #db: DatabaseSync
  readonly #byId: (Prepared | undefined)[] = []
  readonly #adhoc = new Map<string, Prepared>()
  readonly #cache: RowCache
  /** Notices of the current transaction, sent after its commit. */
  notices: ChangeNotice[] = []

  constructor(file: string, synchronous: Synchronous = 'normal', readOnly = false) {
    this.#db = new DatabaseSync(file, { readOnly, timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true })
    // With synchronous = normal SQLite flushes the log before a checkpoint, and the writer flushes it after each commit
    // (log-file.ts). Checkpoints are made by a thread (checkpointer.ts), and here only if the log has become much larger than
    // that thread lets it become.
    this.#db.exec(`
      pragma journal_mode = wal;
      pragma synchronous = ${synchronous};
      pragma temp_store = memory;
      pragma cache_size = -8192;
      pragma journal_size_limit = 67108864;
      pragma wal_autocheckpoint = 16000;
    `)
    const version = this.#db.prepare('pragma data_version')
    this.#cache = new RowCache(() => version.get()?.data_version as number)
  }

  get inTransaction(): boolean {
    return this.#db.isTransaction
  }

  exec(sql: string): void {
    this.#db.exec(sql)
  }

  commit(): void {
    this.#cache.clear()
    this.#db.exec('commit')
  }

  /** Runs all steps of the work in this turn of the event loop. A failed step throws inside the work. */
  run<T>(work: DbWork<T>): T {
    let step = work.next()
    while (step.done !== true) {
      let result: StepResult
      try {
        result = this.#runStep(step.value)
      } catch (error) {
        step = work.throw(translated(error))
        continue
      }
      step = work.next(result)
    }
    return step.value
  }

  /**
   * Runs work in a transaction and gives the event loop back every few milliseconds. Nothing else may run here meanwhile. Returns
   * undefined at the end of a portion if others wait: the next call with the same work goes on behind it.
   */
  async runInSlices<T>(work: DbWork<T>, othersWait: () => boolean): Promise<{ readonly value: T } | undefined> {
    let endsAt = performance.now() + MIN_SLICE_MS
    const rest = async (): Promise<void> => {
      const now = performance.now()
      if (now < endsAt) return
      await nextTurn()
      const next = performance.now()
      endsAt = next + Math.min(MAX_SLICE_MS, Math.max(MIN_SLICE_MS, next - now))
    }
    let step = work.next(noRows)
    while (step.done !== true) {
      if ('portion' in step.value && othersWait()) return undefined
      const results: StepResult[] = []
      try {
        for (const portion of portionsOf(step.value)) {
          results.push(this.#runStep(portion))
          await rest()
        }
      } catch (error) {
        step = work.throw(translated(error))
        continue
      }
      step = work.next(joined(results))
    }
    return step
  }

  close(): void {
    this.#db.close()
  }

  #runStep(step: Step): StepResult {
    // Inside a transaction rows may be uncommitted, so they are not cached.
    if ('values' in step && step.statement.cacheable && !this.#db.isTransaction) {
      return this.#cache.get(step, () => this.#query(step))
    }
    if ('notices' in step) {
      if (this.#db.isTransaction) this.notices.push(...step.notices)
      return noRows
    }
    if ('snapshot' in step || 'portion' in step) return noRows
    if ('together' in step) {
      return { ...noRows, rowsOfEach: step.together.map((each) => this.#query(each).rows) }
    }
    return this.#query(step)
  }

  #query(step: QueryStep): StepResult {
    if ('batch' in step) return this.#query({ statement: step.batch.each, list: step.list })
    const compiled = compile(step)
    const prepared = this.#prepare(compiled.sql, compiled.statementId)
    const { statement, columns } = prepared
    if ('list' in step) {
      if (columns.length > 0) {
        const rows = step.list.flatMap((values) => statement.all(...(bind(compiled, values) as SQLInputValue[])))
        return { rows: rowsOf(prepared, rows), changes: 0 }
      }
      const changesOfEach = step.list.map((values) => {
        return Number(statement.run(...(bind(compiled, values) as SQLInputValue[])).changes)
      })
      return { rows: [], changes: 0, changesOfEach }
    }
    const values = bind(compiled, 'values' in step ? step.values : undefined) as SQLInputValue[]
    if (columns.length > 0) return { rows: rowsOf(prepared, statement.all(...values)), changes: 0 }
    return { rows: [], changes: Number(statement.run(...values).changes) }
  }

  #prepare(sql: string, id: number | undefined): Prepared {
    const cached = id === undefined ? this.#adhoc.get(sql) : this.#byId[id]
    if (cached !== undefined) return cached
    const statement = this.#db.prepare(sql)
    statement.setReturnArrays(true)
    const prepared = { statement, columns: columnsOf(statement) }
    if (id !== undefined) this.#byId[id] = prepared
    else {
      const oldest = this.#adhoc.keys().next().value
      if (this.#adhoc.size >= MAX_ADHOC_STATEMENTS && oldest !== undefined) this.#adhoc.delete(oldest)
      this.#adhoc.set(sql, prepared)
    }
    return prepared
  }
}

const noRows: StepResult = { rows: [], changes: 0 }

function portionsOf(step: Step): readonly Step[] {
  if (!('list' in step) || step.list.length <= PORTION) return [step]
  const { list } = step
  const count = Math.ceil(list.length / PORTION)
  return Array.from({ length: count }, (_, i) => ({ ...step, list: list.slice(i * PORTION, (i + 1) * PORTION) }))
}

/** What the portions of a step have returned together. */
function joined(results: readonly StepResult[]): StepResult {
  const [first = noRows] = results
  if (results.length <= 1) return first
  const rows = results.flatMap((result) => result.rows)
  if (first.changesOfEach === undefined) return { rows, changes: 0 }
  return { rows, changes: 0, changesOfEach: results.flatMap(({ changesOfEach = [] }) => changesOfEach) }
}

/** Makes plain objects from arrays: the objects of `node:sqlite` have no prototype, which V8 handles slowly. */
function rowsOf(prepared: Prepared, found: unknown): readonly unknown[] {
  const rows = found as readonly (readonly unknown[])[]
  // `select *` returns more columns after a migration by another process.
  if (rows[0] !== undefined && rows[0].length !== prepared.columns.length) {
    prepared.columns = columnsOf(prepared.statement)
  }
  const { columns } = prepared
  return rows.map((values) => {
    const row: Record<string, unknown> = {}
    for (let i = 0; i < columns.length; i += 1) row[columns[i] as string] = values[i]
    return row
  })
}

function columnsOf(statement: StatementSync): readonly string[] {
  return statement.columns().map(({ name }) => name)
}

const SQLITE_BUSY = 5
const SQLITE_CONSTRAINT_NOTNULL = 1299
const SQLITE_CONSTRAINT_PRIMARYKEY = 1555
const SQLITE_CONSTRAINT_UNIQUE = 2067

export function isBusy(error: unknown): boolean {
  return (codeOf(error) & 0xff) === SQLITE_BUSY
}

function translated(error: unknown): unknown {
  const code = codeOf(error)
  if (code === SQLITE_CONSTRAINT_NOTNULL) return new NotNullViolation((error as Error).message, { cause: error })
  if (code !== SQLITE_CONSTRAINT_UNIQUE && code !== SQLITE_CONSTRAINT_PRIMARYKEY) return error
  return new UniqueViolation((error as Error).message, { cause: error })
}

function codeOf(error: unknown): number {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : 0
}
