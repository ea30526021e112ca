import type { CommitMode } from '../database.ts'
import type { ChangeNotice, DbWork } from '../query.ts'
import { isBusy, type SqliteConnection } from './connection.ts'

interface Job {
  readonly work: () => DbWork<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

type Result = { readonly value: unknown } | { readonly error: unknown }

/** Bounds how long one transaction blocks the event loop. */
const MAX_JOBS = 256
/** How long batched work waits for other work. */
const BATCH_DELAY_MS = 25
const BUSY_RETRY_MS = 10
/** Other processes (the command line, a backup) hold the write lock for much less than this. */
const BUSY_GIVE_UP_MS = 10_000

/**
 * Group commit: all work of one turn of the event loop shares one transaction and so one flush to disk. Each job has its
 * own savepoint, so that a job that throws does not affect the others. No promise settles before the commit.
 */
export class GroupWriter {
  readonly #connection: SqliteConnection
  readonly #notify: (notices: readonly ChangeNotice[]) => void
  #queue: Job[] = []
  #isScheduled = false
  #batchTimer: NodeJS.Timeout | undefined
  #busySince: number | undefined
  /** The error at which SQLite itself rolled back the transaction; all jobs of the batch reject with it. */
  #rollbackCause: unknown

  constructor(connection: SqliteConnection, notify: (notices: readonly ChangeNotice[]) => void) {
    this.#connection = connection
    this.#notify = notify
  }

  write<T>(work: () => DbWork<T>, mode: CommitMode = 'immediate'): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ work, resolve: resolve as (value: unknown) => void, reject })
      if (mode === 'immediate' || this.#queue.length >= MAX_JOBS) this.#schedule()
      else this.#batchTimer ??= setTimeout(() => this.#schedule(), BATCH_DELAY_MS)
    })
  }

  /** Waits until the queue is empty. */
  async drain(): Promise<void> {
    while (this.#queue.length > 0) await new Promise<void>((resolve) => setTimeout(resolve, 1))
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#flush())
  }

  #flush(): void {
    this.#isScheduled = false
    clearTimeout(this.#batchTimer)
    this.#batchTimer = undefined
    if (!this.#begin()) return
    const jobs = this.#queue.splice(0, MAX_JOBS)
    this.#connection.notices = []
    const results = jobs.map((job) => this.#runJob(job))
    try {
      if (!this.#connection.inTransaction) throw this.#rollbackCause
      this.#connection.commit()
    } catch (error) {
      if (this.#connection.inTransaction) this.#connection.exec('rollback')
      for (const job of jobs) job.reject(error)
      if (this.#queue.length > 0) this.#schedule()
      return
    }
    if (this.#queue.length > 0) this.#schedule()
    if (this.#connection.notices.length > 0) this.#notify(this.#connection.notices)
    jobs.forEach((job, i) => {
      const result = results[i] as Result
      if ('error' in result) job.reject(result.error)
      else job.resolve(result.value)
    })
  }

  /** Returns false while another process is writing; the batch is retried without blocking the event loop. */
  #begin(): boolean {
    try {
      this.#connection.exec('begin immediate')
      this.#busySince = undefined
      return true
    } catch (error) {
      this.#busySince ??= performance.now()
      if (isBusy(error) && performance.now() - this.#busySince < BUSY_GIVE_UP_MS) {
        this.#isScheduled = true
        setTimeout(() => this.#flush(), BUSY_RETRY_MS)
        return false
      }
      this.#busySince = undefined
      for (const job of this.#queue.splice(0)) job.reject(error)
      return false
    }
  }

  #runJob(job: Job): Result {
    // A full or failing disk makes SQLite roll back by itself; later jobs must not run outside a transaction.
    if (!this.#connection.inTransaction) return { error: new Error('The transaction was rolled back') }
    this.#connection.exec('savepoint job')
    const noticesBefore = this.#connection.notices.length
    try {
      const value = this.#connection.run(job.work())
      this.#connection.exec('release job')
      return { value }
    } catch (error) {
      this.#connection.notices.length = noticesBefore
      if (this.#connection.inTransaction) this.#connection.exec('rollback to job; release job')
      else this.#rollbackCause = error
      return { error }
    }
  }
}
