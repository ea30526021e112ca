import type { ServerResponse } from 'node:http'
import { ApiError } from '../../contract/errors.ts'
import { Semaphore } from '../../lib/semaphore.ts'

/** Lists of one key that are built or sent at the same time. */
const MAX_RUNNING = 4
const MAX_RUNNING_SMALL = 32
const MAX_WAITING = 500
const MAX_WAIT_MS = 10_000
/** The default of `limit`. */
const SMALL_PAGE_ITEMS = 25

declare module 'fastify' {
  interface FastifyInstance {
    listTurns: ListTurns
  }
}

/**
 * Lists take turns by key (an operation for a client) before they are built: until it is sent, a list may need several times its size
 * in memory.
 */
export class ListTurns {
  readonly #turns = new Semaphore(MAX_RUNNING, MAX_WAITING)
  readonly #turnsOfSmallPages = new Semaphore(MAX_RUNNING_SMALL, MAX_WAITING)

  /** Waits for a turn, which lasts until the response closes. `limit` is the page's length at most. */
  async enter(key: string, response: ServerResponse, limit = Number.POSITIVE_INFINITY): Promise<void> {
    const turns = limit <= SMALL_PAGE_ITEMS ? this.#turnsOfSmallPages : this.#turns
    // It would not emit "close" again.
    if (response.destroyed) return
    const ended = new AbortController()
    const end = (): void => ended.abort()
    response.once('close', end)
    const timer = setTimeout(end, MAX_WAIT_MS)
    try {
      const release = await turns.acquire(ended.signal, key)
      if (response.destroyed) release()
      else response.once('close', release)
    } catch (error) {
      throw tooManyLists(error)
    } finally {
      clearTimeout(timer)
      response.off('close', end)
    }
  }
}

function tooManyLists(cause: unknown): ApiError {
  return new ApiError('rate_limited', 'Too many requests for large responses; read earlier ones, then try again', {
    cause,
    headers: { 'retry-after': '5' },
  })
}
