import { RoundRobin } from '../../lib/round-robin.ts'
import type { ChangeNotice, DbWork } from '../query.ts'
import { isBusy, type SqliteConnection } from './connection.ts'
import type { LogFile } from './log-file.ts'

interface Job {
  readonly work: () => DbWork<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

type Result = { readonly value: unknown } | { readonly error: unknown }

/** Both bound how long one transaction blocks the event loop: what takes longer is left for the next one. */
const MAX_JOBS = 256
const MAX_BATCH_MS = 25
const BUSY_RETRY_MS = 10
/** Other processes (the command line, a backup) hold the write lock for much less than this. */
const BUSY_GIVE_UP_MS = 10_000

/**
 * Group commit: all work that has come in when a transaction begins shares it, and so one flush to disk. Each job that shares it
 * has a savepoint, so that one that throws does not affect the others. Promises settle, and the next transaction begins, after
 * the flush. The event loop reads and checks further requests meanwhile. Jobs take turns by organization. A bulk job has a
 * transaction of its own, or several if it has portions, which gives the event loop back every few milliseconds; after each,
 * other jobs come first.
 */
export class GroupWriter {
  readonly #connection: SqliteConnection
  readonly #notify: (notices: readonly ChangeNotice[]) => void
  /** Undefined if commits need not survive a power cut. */
  readonly #log: LogFile | undefined
  readonly #queue = new RoundRobin<Job>()
  readonly #bulk: Job[] = []
  #isBulkNext = false
  /** True until the flush to disk has ended. */
  #isScheduled = false
  #busySince: number | undefined
  /** The error at which the transaction was rolled back; all jobs of the batch reject with it. */
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

  write<T>(work: () => DbWork<T>, mode?: 'bulk', orgId = ''): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const job = { work, resolve: resolve as (value: unknown) => void, reject }
      if (mode === 'bulk') this.#bulk.push(job)
      else this.#queue.add(orgId, job)
      this.#schedule()
    })
  }

  /** Waits until all work is on disk. */
  async drain(): Promise<void> {
    while (this.#isWaiting || this.#isScheduled) await new Promise<void>((resolve) => setTimeout(resolve, 1))
  }

  get #isWaiting(): boolean {
    return this.#queue.size + this.#bulk.length > 0
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#runNext())
  }

  #runNext(): void {
    if (!this.#begin()) return
    this.#connection.notices = []
    const isBulk = this.#isBulkNext || this.#queue.size === 0
    const job = isBulk ? this.#bulk.shift() : undefined
    this.#isBulkNext = job === undefined
    if (job === undefined) this.#runBatch()
    else void this.#runBulk(job)
  }

  async #runBulk(job: Job): Promise<void> {
    const work = job.work()
    let result: Result | undefined
    try {
      result = await this.#connection.runInSlices(work, () => this.#isWaiting)
    } catch (error) {
      if (this.#connection.inTransaction) this.#connection.exec('rollback')
      this.#settle([job], () => ({ error }))
      return
    }
    if (result !== undefined) {
      this.#commit([job], [result])
      return
    }
    const next = (): void => {
      this.#bulk.push({ ...job, work: () => work })
      this.#schedule()
    }
    this.#commit([{ ...job, resolve: next }], [{ value: undefined }])
  }

  #runBatch(): void {
    const isShared = this.#queue.size > 1
    const jobs: Job[] = []
    const results: Result[] = []
    const endsAt = performance.now() + MAX_BATCH_MS
    while (jobs.length < MAX_JOBS && performance.now() < endsAt) {
      const job = this.#queue.take()
      if (job === undefined) break
      jobs.push(job)
      results.push(this.#run(job, isShared))
    }
    this.#commit(jobs, results)
  }

  #commit(jobs: readonly Job[], results: readonly Result[]): void {
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
    if (this.#isWaiting) this.#schedule()
    jobs.forEach((job, i) => {
      const result = resultOf(i)
      if ('error' in result) job.reject(result.error)
      else job.resolve(result.value)
    })
  }

  /** Returns false while another process is writing; it is tried again without blocking the event loop. */
  #begin(): boolean {
    try {
      if (this.#log?.failure !== undefined) throw this.#log.failure
      this.#connection.exec('begin immediate')
      this.#busySince = undefined
      return true
    } catch (error) {
      this.#busySince ??= performance.now()
      if (isBusy(error) && performance.now() - this.#busySince < BUSY_GIVE_UP_MS) {
        setTimeout(() => this.#runNext(), BUSY_RETRY_MS)
        return false
      }
      this.#busySince = undefined
      const jobs = [...this.#queue.takeAll(), ...this.#bulk.splice(0)]
      this.#settle(jobs, () => ({ error }))
      return false
    }
  }

  #run(job: Job, isShared: boolean): Result {
    const connection = this.#connection
    // A full or failing disk makes SQLite roll back by itself; later jobs must not run outside a transaction.
    if (!connection.inTransaction) return { error: new Error('The transaction was rolled back') }
    const noticesBefore = connection.notices.length
    if (isShared) connection.exec('savepoint job')
    try {
      const value = connection.run(job.work())
      if (isShared) connection.exec('release job')
      return { value }
    } catch (error) {
      connection.notices.length = noticesBefore
      if (connection.inTransaction) connection.exec(isShared ? 'rollback to job; release job' : 'rollback')
      if (!connection.inTransaction) this.#rollbackCause = error
      return { error }
    }
  }
}
