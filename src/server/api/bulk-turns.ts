import { setTimeout as delay } from 'node:timers/promises'
import { ApiError } from '../../contract/errors.ts'
import { Semaphore, SemaphoreFull } from '../../lib/semaphore.ts'
import type { Database, Lock } from '../../storage/database.ts'

const MAX_WAIT_MS = 10_000
/** Of one organization on this node. */
const MAX_WAITING = 10
/** Of all organizations on this node. */
const MAX_RUNNING = 2
/** Each may hold a document of 16 MiB. */
const MAX_WAITING_TO_RUN = 16
/** How often a node asks whether the operation on another node has ended. */
const ASK_AGAIN_MS = 200
const RETRY_SECONDS = 5
/** After an operation that took one second, the next one of the organization begins three seconds later: a quarter of the time. */
const PAUSE_FACTOR = 3
const MAX_PAUSE_MS = 3_000

/** The turn of an organization. */
export interface BulkTurn {
  /** Waits until the operation may run, which ends with the turn. Throws a 429 if that does not come in time or too many wait. */
  start(): Promise<void>
}

/**
 * Lets one bulk operation per organization run at a time, across all nodes, with a pause between two. No connection is held
 * while one waits.
 */
export class BulkTurns {
  readonly #database: Pick<Database, 'tryLock'>
  readonly #running = new Semaphore(MAX_RUNNING, MAX_WAITING_TO_RUN)
  readonly #turns = new Semaphore(1, MAX_WAITING)

  constructor(database: Pick<Database, 'tryLock'>) {
    this.#database = database
  }

  /** Throws a 429, without running the task, if its turn does not come in time or too many wait. */
  async run<T>(orgId: string, task: () => Promise<T>): Promise<T> {
    return this.reserve(orgId, async (turn) => {
      await turn.start()
      return task()
    })
  }

  /** Begins the turn of the organization. What the task does before it calls `start`, such as receiving a body, delays no other organization. */
  async reserve<T>(orgId: string, task: (turn: BulkTurn) => Promise<T>): Promise<T> {
    const late = AbortSignal.timeout(MAX_WAIT_MS)
    const release = await refusedAs429(late, () => this.#turns.acquire(late, orgId))
    let startedAt: number | undefined
    let stop: (() => void) | undefined
    let lock: Lock | undefined
    try {
      lock = await refusedAs429(late, () => this.#lock(`bulk ${orgId}`, late))
      return await task({
        start: async () => {
          const tooLate = AbortSignal.timeout(MAX_WAIT_MS)
          stop = await refusedAs429(tooLate, () => this.#running.acquire(tooLate))
          startedAt = performance.now()
        },
      })
    } finally {
      stop?.()
      await lock?.release()
      const ranMs = startedAt === undefined ? 0 : performance.now() - startedAt
      setTimeout(release, Math.min(MAX_PAUSE_MS, PAUSE_FACTOR * ranMs)).unref()
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

async function refusedAs429<T>(late: AbortSignal, acquire: () => Promise<T>): Promise<T> {
  try {
    return await acquire()
  } catch (error) {
    const isRefused = error instanceof SemaphoreFull || (late.aborted && error === late.reason)
    throw isRefused ? tooManyBulkOperations(error) : error
  }
}

function tooManyBulkOperations(cause: unknown): ApiError {
  const message = `Other bulk operations of this organization are running; try again in ${RETRY_SECONDS} s`
  return new ApiError('rate_limited', message, { cause, headers: { 'retry-after': `${RETRY_SECONDS}` } })
}
