import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Database } from '../storage/database.ts'
import { type Finding, type Landed, landAll } from './land.ts'

/** What became of a finding; lost is what could not be written. */
export type Landing = Landed | 'lost'

export interface LanderParts {
  readonly database: Database
  /** The public address, for what is told of a check. */
  readonly baseUrl: () => string
  readonly clock: Clock
  readonly log: Log
  readonly tell: (finding: Finding, landing: Landing) => void
  /** How many checks have begun whose landing was not told yet. */
  readonly underWay: () => number
}

/** How long the first finding of a batch waits for company while there is any to come, and how much company there can be. */
const COMPANY_MS = 100
const MOST_TOGETHER = 500
/** A result that cannot be written is tried again for so long; then its claim is left to end by itself. */
const PATIENCE_MS = 60_000

/** Writes findings in batches, each in one transaction: a flush to disk costs more than what is flushed. */
export class Lander {
  readonly #parts: LanderParts
  readonly #writing = new Set<Promise<void>>()
  #waiting: Finding[] = []
  #beingWritten = 0
  #timer: NodeJS.Timeout | undefined
  #stopping = false

  constructor(parts: LanderParts) {
    this.#parts = parts
  }

  add(finding: Finding): void {
    this.#waiting.push(finding)
    if (this.#waiting.length >= MOST_TOGETHER || this.#stopping || this.#isNobodyToCome()) this.#flush()
    else this.#timer ??= setTimeout(() => this.#flush(), COMPANY_MS)
  }

  #isNobodyToCome(): boolean {
    return this.#waiting.length + this.#beingWritten >= this.#parts.underWay()
  }

  /** Writes what has come and what is still to come without waiting; what fails now is left to the next start. */
  async stop(): Promise<void> {
    this.#stopping = true
    this.#flush()
    await Promise.all(this.#writing)
  }

  #flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#waiting.length === 0) return
    const batch = this.#waiting
    this.#waiting = []
    this.#beingWritten += batch.length
    const writing = this.#write(batch).finally(() => {
      this.#beingWritten -= batch.length
      this.#writing.delete(writing)
    })
    this.#writing.add(writing)
  }

  async #write(batch: readonly Finding[]): Promise<void> {
    const { database, baseUrl, tell } = this.#parts
    try {
      const landed = await database.write(() => landAll(batch, baseUrl()))
      batch.forEach((finding, i) => {
        tell(finding, landed[i] as Landed)
      })
    } catch (error) {
      // One that cannot be written must not take the others with it.
      if (batch.length === 1) await this.#insist(batch[0] as Finding, error)
      else await Promise.all(batch.map((finding) => this.#write([finding])))
    }
  }

  async #insist(finding: Finding, first: unknown): Promise<void> {
    const { database, baseUrl, clock, log, tell } = this.#parts
    const giveUpAt = clock.now() + PATIENCE_MS
    let error = first
    for (let pauseMs = 100; clock.now() < giveUpAt && !this.#stopping; pauseMs = Math.min(5_000, pauseMs * 2)) {
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
      try {
        const [landed] = await database.write(() => landAll([finding], baseUrl()))
        return tell(finding, landed as Landed)
      } catch (again) {
        error = again
      }
    }
    log.error(
      { err: error, monitor: finding.claim.monitorId },
      'a result could not be written; the check will be repeated',
    )
    tell(finding, 'lost')
  }
}
