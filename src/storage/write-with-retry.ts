import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Database } from './database.ts'
import type { DbWork } from './query.ts'

const GIVE_UP_AFTER_MS = 60_000
const FIRST_DELAY_MS = 100
const MAX_DELAY_MS = 5_000

interface RetryOptions {
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
  /** Ends the retries. */
  readonly stopping: AbortSignal
  /** Log message when giving up. */
  readonly failureMessage: string
  /** Log fields when giving up. */
  readonly logFields?: Readonly<Record<string, string>>
}

/**
 * Records something that has already happened outside, such as a sent request, and would be repeated if it were not
 * recorded. Retries for a minute, then logs and returns undefined; the claim on the row expires later.
 */
export async function writeWithRetry<T>(work: () => DbWork<T>, options: RetryOptions): Promise<T | undefined> {
  const { database, clock, log, stopping, failureMessage, logFields } = options
  const giveUpAt = clock.now() + GIVE_UP_AFTER_MS
  for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(MAX_DELAY_MS, delayMs * 2)) {
    try {
      return await database.write(work)
    } catch (error) {
      if (clock.now() >= giveUpAt || stopping.aborted) {
        log.error({ err: error, ...logFields }, failureMessage)
        return undefined
      }
      await new Promise((resolve) => setTimeout(resolve, delayMs))
    }
  }
}
