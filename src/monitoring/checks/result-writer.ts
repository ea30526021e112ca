import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Database } from '../../storage/database.ts'
import { writeWithRetry } from '../../storage/write-with-retry.ts'
import { type CheckResult, type SaveOutcome, saveResults } from './save-results.ts'

/** `lost`: the result could not be written. */
export type WriteOutcome = SaveOutcome | 'lost'

export interface ResultWriterOptions {
  readonly database: Database
  /** The public address that events link to. */
  readonly baseUrl: () => string
  readonly clock: Clock
  readonly log: Log
  readonly onWritten: (result: CheckResult, outcome: WriteOutcome) => void
  /** The number of checks that have begun and whose result is not written yet. */
  readonly underWay: () => number
  /** Once aborted, results are written without delay and failed writes are retried once. */
  readonly stopping: AbortSignal
}

const FLUSH_AFTER_MS = 100
/** On SQLite a batch is written on the main thread: 100 results take about 6 ms. */
const BATCH_SIZE = 100
/**
 * Batches that are written at the same time. Incidents of one organization wait for each other, so further batches would only
 * occupy connections that the next checks need.
 */
const MAX_WRITES = 2
/** An organization with more results than this gets a batch of its own. */
const MAX_SHARED = 50

/**
 * Writes results in batches, each in one transaction, because a commit costs more than its rows. Flushes after 100 ms, at
 * 100 results, or at once when no other check is under way, but writes at most two batches at the same time. Many results of one
 * organization are written apart: 500 new incidents take seconds, and the transaction locks the monitors of all its results.
 */
export class ResultWriter {
  readonly #options: ResultWriterOptions
  #waiting: CheckResult[] = []
  /** Organizations whose own batch is being written. */
  readonly #writtenApart = new Set<string>()
  #beingWritten = 0
  #writes = 0
  /** Results wait for the end of a write. */
  #isPostponed = false
  #timer: NodeJS.Timeout | undefined

  constructor(options: ResultWriterOptions) {
    this.#options = options
    options.stopping.addEventListener('abort', () => this.#flush(), { once: true })
  }

  add(result: CheckResult): void {
    this.#waiting.push(result)
    const { stopping, underWay } = this.#options
    const isLast = this.#waiting.length + this.#beingWritten >= underWay()
    if (isLast || stopping.aborted || this.#waiting.length >= BATCH_SIZE) this.#flush()
    else this.#timer ??= setTimeout(() => this.#flush(), FLUSH_AFTER_MS)
  }

  #flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#waiting.length === 0) return
    this.#isPostponed = this.#writes === MAX_WRITES
    if (this.#isPostponed) return
    const { batch, apart } = this.#takeBatch()
    if (batch.length === 0) {
      this.#isPostponed = true
      return
    }
    this.#beingWritten += batch.length
    void this.#write(batch, apart).finally(() => {
      this.#beingWritten -= batch.length
    })
    this.#flush()
  }

  /** The results of organizations with few, else those of one with many. `apart` is that organization. */
  #takeBatch(): { readonly batch: readonly CheckResult[]; readonly apart: string | undefined } {
    const ready = this.#waiting.filter(({ claim }) => !this.#writtenApart.has(claim.orgId))
    const byOrganization = Map.groupBy(ready, ({ claim }) => claim.orgId)
    const shared = ready.filter(({ claim }) => (byOrganization.get(claim.orgId)?.length ?? 0) <= MAX_SHARED)
    const apart = shared.length > 0 ? undefined : ready[0]?.claim.orgId
    const batch = (apart === undefined ? shared : (byOrganization.get(apart) ?? [])).slice(0, BATCH_SIZE)
    const taken = new Set(batch)
    this.#waiting = this.#waiting.filter((result) => !taken.has(result))
    // In one order, so that transactions that lock the same rows cannot deadlock.
    return { batch: batch.sort((a, b) => a.claim.num - b.claim.num), apart }
  }

  async #write(batch: readonly CheckResult[], apart: string | undefined): Promise<void> {
    const { database, baseUrl, onWritten } = this.#options
    let outcomes: readonly SaveOutcome[]
    this.#writes += 1
    if (apart !== undefined) this.#writtenApart.add(apart)
    try {
      outcomes = await database.write(() => saveResults(batch, baseUrl())).finally(() => this.#writeEnded(apart))
    } catch {
      // One by one: a result that cannot be written must not block the others.
      await Promise.all(batch.map((result) => this.#writeAlone(result)))
      return
    }
    batch.forEach((result, i) => {
      onWritten(result, outcomes[i] as SaveOutcome)
    })
  }

  #writeEnded(apart: string | undefined): void {
    this.#writes -= 1
    if (apart !== undefined) this.#writtenApart.delete(apart)
    if (this.#isPostponed) this.#flush()
  }

  async #writeAlone(result: CheckResult): Promise<void> {
    const { database, baseUrl, clock, log, stopping, onWritten } = this.#options
    const outcomes = await writeWithRetry(() => saveResults([result], baseUrl()), {
      database,
      clock,
      log,
      stopping,
      failureMessage: 'check result not saved; repeating the check',
      logFields: { monitor: result.claim.monitorId },
    })
    onWritten(result, outcomes?.[0] ?? 'lost')
  }
}
