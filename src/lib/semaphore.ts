/** Too many tasks are waiting. */
export class SemaphoreFull extends Error {
  override name = 'SemaphoreFull'
}

/** Runs a limited number of tasks at once. The others wait in order; a task whose signal aborts waits no longer. */
export class Semaphore {
  readonly #maxRunning: number
  readonly #maxWaiting: number
  readonly #waiting = new Set<() => void>()
  #running = 0

  constructor(maxRunning: number, maxWaiting: number) {
    this.#maxRunning = maxRunning
    this.#maxWaiting = maxWaiting
  }

  /** Throws SemaphoreFull or the signal's reason, without running the task. */
  async run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted()
    if (this.#running < this.#maxRunning) this.#running += 1
    else await this.#turn(signal)
    try {
      return await task()
    } finally {
      // The slot passes directly to the next task, so `#running` stays the same.
      const [next] = this.#waiting
      if (next === undefined) this.#running -= 1
      else next()
    }
  }

  #turn(signal: AbortSignal | undefined): Promise<void> {
    if (this.#waiting.size >= this.#maxWaiting) return Promise.reject(new SemaphoreFull('Too many tasks are waiting'))
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = () => {
      this.#waiting.delete(start)
      signal?.removeEventListener('abort', onAbort)
    }
    const start = () => {
      leave()
      resolve()
    }
    const onAbort = () => {
      leave()
      reject(signal?.reason)
    }
    this.#waiting.add(start)
    signal?.addEventListener('abort', onAbort)
    return promise
  }
}
