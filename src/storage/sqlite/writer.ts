import type { CommitMode } from '../database.ts'
import type { ChangeNotice, DbWork } from '../query.ts'
import { isBusy, type SqliteConnection } from './connection.ts'
import type { LogFile } from './log-file.ts'

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
 * Group commit: all work that has come in when a transaction begins shares it, and so one flush to disk. A job that throws does
 * not affect the others: if it has written something, the transaction is rolled back and all jobs run again, each with a
 * savepoint. Savepoints from the start would cost 12 % of a small change, because SQLite copies the pages that change after one.
 * Promises settle, and the next transaction begins, after the flush. The event loop reads and checks further requests meanwhile.
 */
export class GroupWriter {
  readonly #connection: SqliteConnection
  readonly #notify: (notices: readonly ChangeNotice[]) => void
  /** Undefined if commits need not survive a power cut. */
  readonly #log: LogFile | undefined
  #queue: Job[] = []
  /** True until the flush to disk has ended. */
  #isScheduled = false
  #batchTimer: NodeJS.Timeout | undefined
  #busySince: number | undefined
  /** The jobs at the front of the queue have to run with savepoints. */
  #needsSavepoints = false
  /** The error at which SQLite itself rolled back the transaction; all jobs of the batch reject with it. */
  #rollbackCause: unknown

  constructor(
    connection: SqliteConnection,
    notify: (notices: readonly ChangeNotice[]) => void,
    log: LogFile | undefined,
  ) {
    this.#connection = connection
    this.#notify = notify
    this.#log = log
  }

  write<T>(work: () => DbWork<T>, mode: CommitMode = 'immediate'): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ work, resolve: resolve as (value: unknown) => void, reject })
      if (mode === 'immediate' || this.#queue.length >= MAX_JOBS) this.#schedule()
      else this.#batchTimer ??= setTimeout(() => this.#schedule(), BATCH_DELAY_MS)
    })
  }

  /** Waits until all work is on disk. */
  async drain(): Promise<void> {
    while (this.#queue.length > 0 || this.#isScheduled) await new Promise<void>((resolve) => setTimeout(resolve, 1))
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#runBatch())
  }

  #runBatch(): void {
    clearTimeout(this.#batchTimer)
    this.#batchTimer = undefined
    if (!this.#begin()) return
    const jobs = this.#queue.splice(0, MAX_JOBS)
    this.#connection.notices = []
    const results = this.#needsSavepoints ? this.#runApart(jobs) : this.#runTogether(jobs)
    this.#needsSavepoints = results === undefined
    if (results === undefined) {
      if (this.#connection.inTransaction) this.#connection.exec('rollback')
      this.#queue.unshift(...jobs)
      this.#runBatch()
      return
    }
    const { notices } = this.#connection
    try {
      if (!this.#connection.inTransaction) throw this.#rollbackCause
      this.#connection.commit()
    } catch (error) {
      if (this.#connection.inTransaction) this.#connection.exec('rollback')
      this.#settle(jobs, () => ({ error }))
      return
    }
    const onDisk = (failure?: Error): void => {
      if (failure === undefined && notices.length > 0) this.#notify(notices)
      this.#settle(jobs, (i) => (failure === undefined ? (results[i] as Result) : { error: failure }))
    }
    if (this.#log === undefined) onDisk()
    else this.#log.flush(onDisk)
  }

  #settle(jobs: readonly Job[], resultOf: (index: number) => Result): void {
    this.#isScheduled = false
    if (this.#queue.length > 0) this.#schedule()
    jobs.forEach((job, i) => {
      const result = resultOf(i)
      if ('error' in result) job.reject(result.error)
      else job.resolve(result.value)
    })
  }

  /** Returns false while another process is writing; the batch is retried without blocking the event loop. */
  #begin(): boolean {
    try {
      if (this.#log?.failure !== undefined) throw this.#log.failure
      this.#connection.exec('begin immediate')
      this.#busySince = undefined
      return true
    } catch (error) {
      this.#busySince ??= performance.now()
      if (isBusy(error) && performance.now() - this.#busySince < BUSY_GIVE_UP_MS) {
        setTimeout(() => this.#runBatch(), BUSY_RETRY_MS)
        return false
      }
      this.#busySince = undefined
      this.#settle(this.#queue.splice(0), () => ({ error }))
      return false
    }
  }

  /** Runs jobs without savepoints. Returns undefined if one has failed after it had written something. */
  #runTogether(jobs: readonly Job[]): readonly Result[] | undefined {
    const connection = this.#connection
    const results: Result[] = []
    for (const job of jobs) {
      const [noticesBefore, writesBefore] = [connection.notices.length, connection.writes]
      try {
        results.push({ value: connection.run(job.work()) })
      } catch (error) {
        // A full or failing disk makes SQLite roll back by itself.
        if (!connection.inTransaction || connection.writes !== writesBefore) return undefined
        connection.notices.length = noticesBefore
        results.push({ error })
      }
    }
    return results
  }

  #runApart(jobs: readonly Job[]): readonly Result[] {
    return jobs.map((job) => this.#runWithSavepoint(job))
  }

  #runWithSavepoint(job: Job): Result {
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
