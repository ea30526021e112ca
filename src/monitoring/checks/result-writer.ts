import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Database } from '../../storage/database.ts'
import { writeWithRetry } from '../../storage/write-with-retry.ts'
import { type Finding, type Landed, landAll } from './save-results.ts'

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
  /** From then on nothing waits for company, and what fails is left to the next start. */
  readonly stopping: AbortSignal
}

/** How long the first finding of a batch waits for company while there is any to come, and how much company there can be. */
const COMPANY_MS = 100
const MOST_TOGETHER = 500

/** Writes findings in batches, each in one transaction: a flush to disk costs more than what is flushed. */
export class Lander {
  readonly #parts: LanderParts
  #waiting: Finding[] = []
  #beingWritten = 0
  #timer: NodeJS.Timeout | undefined

  constructor(parts: LanderParts) {
    this.#parts = parts
    parts.stopping.addEventListener('abort', () => this.#flush(), { once: true })
  }

  add(finding: Finding): void {
    this.#waiting.push(finding)
    if (this.#waiting.length >= MOST_TOGETHER || this.#parts.stopping.aborted || this.#isNobodyToCome()) this.#flush()
    else this.#timer ??= setTimeout(() => this.#flush(), COMPANY_MS)
  }

  #isNobodyToCome(): boolean {
    return this.#waiting.length + this.#beingWritten >= this.#parts.underWay()
  }

  #flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#waiting.length === 0) return
    const batch = this.#waiting
    this.#waiting = []
    this.#beingWritten += batch.length
    void this.#write(batch).finally(() => {
      this.#beingWritten -= batch.length
    })
  }

  async #write(batch: readonly Finding[]): Promise<void> {
    const { database, baseUrl, tell } = this.#parts
    let landed: readonly Landed[]
    try {
      landed = await database.write(() => landAll(batch, baseUrl()))
    } catch {
      // One that cannot be written must not take the others with it.
      await Promise.all(batch.map((finding) => this.#insist(finding)))
      return
    }
    batch.forEach((finding, i) => {
      tell(finding, landed[i] as Landed)
    })
  }

  async #insist(finding: Finding): Promise<void> {
    const { database, baseUrl, clock, log, stopping, tell } = this.#parts
    const landed = await writeWithRetry(() => landAll([finding], baseUrl()), {
      ...{ database, clock, log, stopping },
      sentence: 'a result could not be written; the check will be repeated',
      about: { monitor: finding.claim.monitorId },
    })
    tell(finding, landed?.[0] ?? 'lost')
  }
}
