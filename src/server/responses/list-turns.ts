import type { ServerResponse } from 'node:http'
import { ApiError } from '../../contract/errors.ts'

/** Lists of one key that are built or sent at the same time. */
const MAX_RUNNING = 4
const MAX_WAITING = 500
const MAX_WAIT_MS = 10_000

interface Queue {
  running: number
  /** In order of arrival. */
  readonly waiting: Set<() => void>
}

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
  readonly #queues = new Map<string, Queue>()

  /** Takes a turn until the response closes. Returns a promise for it, or undefined if it need not wait. */
  enter(key: string, response: ServerResponse): Promise<void> | undefined {
    // It would not emit "close" again.
    if (response.destroyed) return undefined
    const queue = this.#queues.get(key) ?? { running: 0, waiting: new Set() }
    this.#queues.set(key, queue)
    const start = (): void => {
      queue.running += 1
      response.once('close', () => this.#leave(key, queue))
    }
    if (queue.running < MAX_RUNNING) {
      start()
      return undefined
    }
    if (queue.waiting.size >= MAX_WAITING) throw tooManyLists()
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer)
        response.off('close', leave)
        queue.waiting.delete(proceed)
      }
      const proceed = (): void => {
        leave()
        start()
        resolve()
      }
      const timer = setTimeout(() => {
        leave()
        reject(tooManyLists())
      }, MAX_WAIT_MS)
      queue.waiting.add(proceed)
      response.once('close', leave)
    })
  }

  #leave(key: string, queue: Queue): void {
    queue.running -= 1
    const [next] = queue.waiting
    if (next !== undefined) next()
    else if (queue.running === 0) this.#queues.delete(key)
  }
}

function tooManyLists(): ApiError {
  return new ApiError('rate_limited', 'Too many requests for large responses; read earlier ones, then try again', {
    headers: { 'retry-after': '5' },
  })
}
