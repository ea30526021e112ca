import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Database } from '../database.ts'
import type { DbWork } from '../query.ts'
import { writeWithRetry } from '../write-with-retry.ts'

/** How long a row waits after its processing threw. */
export const FAILED_RETRY_MS = 10_000

interface Worker {
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
  readonly stopping: AbortSignal
}

export interface ClaimProcessing {
  readonly work: () => Promise<void>
  /** Releases the claim; the row is due again at `dueAt`. */
  readonly release: (dueAt: number) => DbWork<unknown>
  /** Names the row in the log. */
  readonly logFields: Readonly<Record<string, string>>
}

/**
 * Processes one claimed row. If that throws, the row is released and is due again after FAILED_RETRY_MS: it blocks no
 * other row, and does not stay claimed until its lease ends. If even the release cannot be written, the lease ends it.
 */
export async function processClaim({ work, release, logFields }: ClaimProcessing, by: Worker): Promise<void> {
  try {
    await work()
  } catch (error) {
    by.log.error({ err: error, ...logFields }, 'queued work failed; retrying')
    const { database, clock, log, stopping } = by
    const dueAt = clock.now() + FAILED_RETRY_MS
    const failureMessage = 'a claimed row could not be released; it is tried again when its lease ends'
    await writeWithRetry(() => release(dueAt), {
      database,
      clock,
      log,
      stopping,
      failureMessage,
      logFields,
    })
  }
}
