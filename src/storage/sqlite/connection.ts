import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { bind, createCompiler } from '../compile.ts'
import { UniqueViolation } from '../database.ts'
import type { ChangeNotice, DbWork, QueryStep, Step, StepResult } from '../query.ts'
import { PortableSqliteCompiler } from './compiler.ts'
import { RowCache } from './row-cache.ts'

/** One-off queries share this many prepared statements; those built once are kept for good. */
const ADHOC_STATEMENTS = 200

/** How long SQLite itself may block the event loop for another process's lock before we wait without blocking. */
const BUSY_TIMEOUT_MS = 20

interface Prepared {
  readonly statement: StatementSync
  /** What its rows have; nothing where it returns none. */
  readonly columns: readonly string[]
}

/** A connection to the database file on which work runs to its end without leaving the current turn of the loop. */
export class SqliteConnection {
  readonly #db: DatabaseSync
  readonly #compile = createCompiler(new PortableSqliteCompiler())
  readonly #byId: (Prepared | undefined)[] = []
  readonly #adhoc = new Map<string, Prepared>()
  readonly #kept: RowCache
  /** What the present transaction has to tell once it is committed. */
  told: ChangeNotice[] = []

  constructor(file: string, synchronous: 'full' | 'off' = 'full') {
    this.#db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true })
    // FULL: what an answer promised survives a power cut, not only the death of the process. A larger cache made no check
    // cheaper: what is not in it is in the system's.
    this.#db.exec(`
      pragma journal_mode = wal;
      pragma synchronous = ${synchronous};
      pragma temp_store = memory;
      pragma cache_size = -8192;
      pragma journal_size_limit = 67108864;
      pragma wal_autocheckpoint = 4000;
    `)
    const version = this.#db.prepare('pragma data_version')
    this.#kept = new RowCache(() => version.get()?.data_version as number)
  }

  get inTransaction(): boolean {
    return this.#db.isTransaction
  }

  exec(sql: string): void {
    this.#db.exec(sql)
  }

  commit(): void {
    this.#kept.forget()
    this.#db.exec('commit')
  }

  /** Drives work step by step. A failed step is thrown into the work, which may translate it. */
  drive<T>(work: DbWork<T>): T {
    let turn = work.next()
    while (turn.done !== true) {
      let outcome: StepResult
      try {
        outcome = this.#execute(turn.value)
      } catch (error) {
        turn = work.throw(named(error))
        continue
      }
      turn = work.next(outcome)
    }
    return turn.value
  }

  close(): void {
    this.#db.close()
  }

  #execute(step: Step): StepResult {
    if ('told' in step) {
      if (this.#db.isTransaction) this.told.push(...step.told)
      return nothing
    }
    // Inside a transaction there are changes that nobody else may see yet.
    if ('values' in step && step.statement.cacheable && !this.#db.isTransaction) {
      return this.#kept.recall(step, () => this.#run(step))
    }
    return this.#run(step)
  }

  #run(step: QueryStep): StepResult {
    const compiled = this.#compile(step)
    const { statement, columns } = this.#prepare(compiled.sql, compiled.statementId)
    if ('list' in step) {
      const changesOfEach = step.list.map((given) => {
        return Number(statement.run(...(bind(compiled, given) as SQLInputValue[])).changes)
      })
      return { rows: [], changes: 0, changesOfEach }
    }
    const values = bind(compiled, 'values' in step ? step.values : undefined) as SQLInputValue[]
    if (columns.length > 0) return { rows: rowsOf(columns, statement.all(...values)), changes: 0 }
    return { rows: [], changes: Number(statement.run(...values).changes) }
  }

  #prepare(sql: string, id: number | undefined): Prepared {
    const known = id === undefined ? this.#adhoc.get(sql) : this.#byId[id]
    if (known !== undefined) return known
    const statement = this.#db.prepare(sql)
    statement.setReturnArrays(true)
    const prepared = { statement, columns: statement.columns().map(({ name }) => name) }
    if (id !== undefined) this.#byId[id] = prepared
    else {
      const oldest = this.#adhoc.keys().next().value
      if (this.#adhoc.size >= ADHOC_STATEMENTS && oldest !== undefined) this.#adhoc.delete(oldest)
      this.#adhoc.set(sql, prepared)
    }
    return prepared
  }
}

const nothing: StepResult = { rows: [], changes: 0 }

/** The objects that `node:sqlite` makes by itself have no prototype, and V8 is slow to make such and to read them. */
function rowsOf(columns: readonly string[], found: unknown): readonly unknown[] {
  return (found as readonly (readonly unknown[])[]).map((values) => {
    const row: Record<string, unknown> = {}
    for (let i = 0; i < columns.length; i += 1) row[columns[i] as string] = values[i]
    return row
  })
}

const SQLITE_BUSY = 5
const SQLITE_CONSTRAINT_PRIMARYKEY = 1555
const SQLITE_CONSTRAINT_UNIQUE = 2067

export function isBusy(error: unknown): boolean {
  return (codeOf(error) & 0xff) === SQLITE_BUSY
}

function named(error: unknown): unknown {
  const code = codeOf(error)
  if (code !== SQLITE_CONSTRAINT_UNIQUE && code !== SQLITE_CONSTRAINT_PRIMARYKEY) return error
  return new UniqueViolation((error as Error).message, { cause: error })
}

function codeOf(error: unknown): number {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : 0
}
