import type { CommitMode } from '../database.ts'
import type { ChangeNotice, DbWork } from '../query.ts'
import { isBusy, type SqliteConnection } from './connection.ts'

interface Job {
  readonly work: () => DbWork<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

type Result = { readonly value: unknown } | { readonly error: unknown }

/** Bounds how long one commit keeps the event loop. */
const BATCH = 256
/** How long patient work waits for company. */
const COMPANY_MS = 25
const BUSY_RETRY_MS = 10
/** Another process (the command line, a backup) never holds the write lock for anything near this long. */
const BUSY_PATIENCE_MS = 10_000

/**
 * Group commit: all work that arrived during one turn of the event loop shares one transaction and so one flush to
 * disk. Each piece has a savepoint of its own, so that one that throws takes nothing else with it. Nobody is answered
 * before the commit.
 */
export class GroupWriter {
  readonly #connection: SqliteConnection
  readonly #tell: (told: readonly ChangeNotice[]) => void
  #queue: Job[] = []
  #scheduled = false
  #company: NodeJS.Timeout | undefined
  #busySince: number | undefined
  /** What made SQLite undo a whole batch by itself: the reason that everybody in it is told. */
  #undoneBy: unknown

  constructor(connection: SqliteConnection, tell: (told: readonly ChangeNotice[]) => void) {
    this.#connection = connection
    this.#tell = tell
  }

  write<T>(work: () => DbWork<T>, haste: CommitMode = 'prompt'): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ work, resolve: resolve as (value: unknown) => void, reject })
      if (haste === 'prompt' || this.#queue.length >= BATCH) this.#schedule()
      else this.#company ??= setTimeout(() => this.#schedule(), COMPANY_MS)
    })
  }

  /** Commits what is waiting, until nothing is. */
  async drain(): Promise<void> {
    while (this.#queue.length > 0) await new Promise<void>((resolve) => setTimeout(resolve, 1))
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => this.#flush())
  }

  #flush(): void {
    this.#scheduled = false
    clearTimeout(this.#company)
    this.#company = undefined
    if (!this.#begin()) return
    const jobs = this.#queue.splice(0, BATCH)
    this.#connection.told = []
    const results = jobs.map((job) => this.#attempt(job))
    try {
      if (!this.#connection.inTransaction) throw this.#undoneBy
      this.#connection.commit()
    } catch (error) {
      if (this.#connection.inTransaction) this.#connection.exec('rollback')
      for (const job of jobs) job.reject(error)
      if (this.#queue.length > 0) this.#schedule()
      return
    }
    if (this.#queue.length > 0) this.#schedule()
    if (this.#connection.told.length > 0) this.#tell(this.#connection.told)
    jobs.forEach((job, i) => {
      const result = results[i] as Result
      if ('error' in result) job.reject(result.error)
      else job.resolve(result.value)
    })
  }

  /** False when another process is writing: the batch waits its turn without holding the event loop. */
  #begin(): boolean {
    try {
      this.#connection.exec('begin immediate')
      this.#busySince = undefined
      return true
    } catch (error) {
      this.#busySince ??= performance.now()
      if (isBusy(error) && performance.now() - this.#busySince < BUSY_PATIENCE_MS) {
        this.#scheduled = true
        setTimeout(() => this.#flush(), BUSY_RETRY_MS)
        return false
      }
      this.#busySince = undefined
      for (const job of this.#queue.splice(0)) job.reject(error)
      return false
    }
  }

  #attempt(job: Job): Result {
    // A full disk or a failing one makes SQLite roll back by itself; what follows must not run outside a transaction.
    if (!this.#connection.inTransaction) return { error: new Error('The transaction was rolled back') }
    this.#connection.exec('savepoint job')
    const before = this.#connection.told.length
    try {
      const value = this.#connection.drive(job.work())
      this.#connection.exec('release job')
      return { value }
    } catch (error) {
      this.#connection.told.length = before
      if (this.#connection.inTransaction) this.#connection.exec('rollback to job; release job')
      else this.#undoneBy = error
      return { error }
    }
  }
}
