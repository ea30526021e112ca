import { setTimeout as delay } from 'node:timers/promises'
import { ApiError } from '../../contract/errors.ts'
import { Semaphore, SemaphoreFull } from '../../lib/semaphore.ts'
import type { Database, Lock } from '../../storage/database.ts'

const MAX_WAIT_MS = 10_000
/** Of one organization on this node. */
const MAX_WAITING = 10
/** Of all organizations on this node. */
const MAX_RUNNING = 2
/** How often a node asks whether the operation on another node has ended. */
const ASK_AGAIN_MS = 200
const RETRY_SECONDS = 5
/** After an operation that took one second, the next one of the organization begins three seconds later: a quarter of the time. */
const PAUSE_FACTOR = 3
const MAX_PAUSE_MS = 3_000

/**
 * Lets one bulk operation per organization run at a time, across all nodes, with a pause between two. No connection is held
 * while one waits.
 */
export class BulkTurns {
  readonly #database: Pick<Database, 'tryLock'>
  readonly #running = new Semaphore(MAX_RUNNING, Number.POSITIVE_INFINITY)
  readonly #turns = new Semaphore(1, MAX_WAITING)

  constructor(database: Pick<Database, 'tryLock'>) {
    this.#database = database
  }

  /** Throws a 429, without running the task, if its turn does not come in time or too many wait. */
  async run<T>(orgId: string, task: () => Promise<T>): Promise<T> {
    const late = AbortSignal.timeout(MAX_WAIT_MS)
    try {
      const release = await this.#turns.acquire(late, orgId)
      const startedAt = performance.now()
      try {
        return await this.#underLock(orgId, late, task)
      } finally {
        const pauseMs = Math.min(MAX_PAUSE_MS, PAUSE_FACTOR * (performance.now() - startedAt))
        setTimeout(release, pauseMs).unref()
      }
    } catch (error) {
      const isRefused = error instanceof SemaphoreFull || (late.aborted && error === late.reason)
      throw isRefused ? tooManyBulkOperations(error) : error
    }
  }

  async #underLock<T>(orgId: string, late: AbortSignal, task: () => Promise<T>): Promise<T> {
    const lock = await this.#lock(`bulk ${orgId}`, late)
    try {
      return await this.#running.run(task, late)
    } finally {
      await lock.release()
    }
  }

  async #lock(name: string, late: AbortSignal): Promise<Lock> {
    for (;;) {
      late.throwIfAborted()
      const lock = await this.#database.tryLock(name)
      if (lock !== undefined) return lock
      await delay(ASK_AGAIN_MS)
    }
  }
}

function tooManyBulkOperations(cause: unknown): ApiError {
  const message = `Other bulk operations of this organization are running; try again in ${RETRY_SECONDS} s`
  return new ApiError('rate_limited', message, { cause, headers: { 'retry-after': `${RETRY_SECONDS}` } })
}
