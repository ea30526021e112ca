import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Database } from './database.ts'
import type { DbWork } from './query.ts'

/** What cannot be written is tried again for so long. */
const PATIENCE_MS = 60_000
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000

interface RetryOptions {
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
  /** Ends the patience. */
  readonly stopping: AbortSignal
  /** What is logged where it was in vain. */
  readonly sentence: string
  /** What is logged along with it. */
  readonly about?: Readonly<Record<string, string>>
}

/**
 * Writes what came of something that has happened already and would happen again if nobody noted it: that is worth some
 * patience. Undefined where it was in vain; then a claim is left to end by itself.
 */
export async function writeWithRetry<T>(work: () => DbWork<T>, by: RetryOptions): Promise<T | undefined> {
  const giveUpAt = by.clock.now() + PATIENCE_MS
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
    try {
      return await by.database.write(work)
    } catch (error) {
      if (by.clock.now() >= giveUpAt || by.stopping.aborted) {
        by.log.error({ err: error, ...by.about }, by.sentence)
        return undefined
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }
}
