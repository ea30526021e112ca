import type { ServerResponse } from 'node:http'
import { ApiError } from '../../contract/errors.ts'
import { MINUTE_MS } from '../../lib/clock.ts'

/** Reads of one key that run, or whose response is being sent, at the same time. */
const MAX_RUNNING = 4
/** The same in bytes of their responses; one read always runs. */
const MAX_RUNNING_BYTES = 50_000_000
const MAX_WAITING = 500
/** How long a key counts as large after a large response. */
const REMEMBERED_MS = MINUTE_MS
const MAX_REMEMBERED = 10_000
const CHECK_MS = 250

interface Queue {
  running: number
  /** In order of arrival. */
  waiting: Map<ServerResponse, () => void> | undefined
  maxRunning: number
  /** 0 if no response was large. */
  largeUntil: number
}

/**
 * Limits concurrent reads by key (an operation for a client) before their responses are built: a list may need several times
 * its size in memory, up to 62 MB, until it is sent.
 */
export class ReadQueues {
  readonly #queues = new Map<string, Queue>()
  readonly #dropStalled: (key: string) => void
  #timer: NodeJS.Timeout | undefined

  /** `dropStalled` closes the connections of a key's readers that have stopped reading. */
  constructor(dropStalled: (key: string) => void) {
    this.#dropStalled = dropStalled
  }

  get isEmpty(): boolean {
    return this.#queues.size === 0
  }

  /** Remembers that the responses of a key have this size. */
  remember(key: string, bytes: number): void {
    if (!this.#queues.has(key)) this.#forgetIdle()
    const queue = this.#queueOf(key)
    queue.maxRunning = Math.max(1, Math.min(MAX_RUNNING, Math.floor(MAX_RUNNING_BYTES / bytes)))
    queue.largeUntil = performance.now() + REMEMBERED_MS
  }

  isRemembered(key: string): boolean {
    const queue = this.#queues.get(key)
    return queue !== undefined && queue.largeUntil > 0
  }

  /** Enters the queue until the response closes. Returns a promise for its turn, or undefined if it need not wait. */
  enter(key: string, response: ServerResponse): Promise<void> | undefined {
    // It would not emit "close" again.
    if (response.destroyed) return undefined
    const queue = this.#queueOf(key)
    if (queue.running < queue.maxRunning) {
      this.#run(key, queue, response)
      return undefined
    }
    queue.waiting ??= new Map()
    const { waiting } = queue
    if (waiting.size >= MAX_WAITING) {
      throw new ApiError('rate_limited', 'Too many requests for large responses; read earlier ones, then try again', {
        headers: { 'retry-after': '5' },
      })
    }
    // The check runs after the events that are due, which may be the progress of a reader.
    this.#timer ??= setInterval(() => setImmediate(() => this.#check()), CHECK_MS).unref()
    response.once('close', () => waiting.delete(response))
    return new Promise((resolve) => waiting.set(response, resolve))
  }

  #queueOf(key: string): Queue {
    let queue = this.#queues.get(key)
    if (queue === undefined) {
      queue = { running: 0, waiting: undefined, maxRunning: MAX_RUNNING, largeUntil: 0 }
      this.#queues.set(key, queue)
    }
    return queue
  }

  #run(key: string, queue: Queue, response: ServerResponse): void {
    queue.running += 1
    response.once('close', () => this.#leave(key, queue))
  }

  #leave(key: string, queue: Queue): void {
    queue.running -= 1
    const [next] = queue.waiting ?? []
    if (next !== undefined && queue.running < queue.maxRunning) {
      const [response, proceed] = next
      queue.waiting?.delete(response)
      this.#run(key, queue, response)
      proceed()
    } else if (queue.running === 0 && queue.largeUntil < performance.now()) this.#queues.delete(key)
  }

  /** Readers that have stopped reading make way for those that wait. */
  #check(): void {
    const busy = [...this.#queues].filter(([, { waiting }]) => waiting !== undefined && waiting.size > 0)
    for (const [key] of busy) this.#dropStalled(key)
    if (busy.length > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #forgetIdle(): void {
    if (this.#queues.size < MAX_REMEMBERED) return
    for (const [key, { running }] of this.#queues) if (running === 0) this.#queues.delete(key)
  }
}
