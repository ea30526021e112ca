/** Too many tasks are waiting. */
export class SemaphoreFull extends Error {
  override name = 'SemaphoreFull'
}

interface Slots {
  running: number
  /** In order of arrival. */
  readonly waiting: Set<() => void>
}

/** Runs a limited number of tasks of each key at once. The others wait in order; a task whose signal aborts waits no longer. */
export class Semaphore {
  readonly #maxRunning: number
  readonly #maxWaiting: number
  readonly #byKey = new Map<string, Slots>()

  constructor(maxRunning: number, maxWaiting: number) {
    this.#maxRunning = maxRunning
    this.#maxWaiting = maxWaiting
  }

  /** Throws SemaphoreFull or the signal's reason, without running the task. */
  async run<T>(task: () => Promise<T>, signal?: AbortSignal, key = ''): Promise<T> {
    const release = await this.acquire(signal, key)
    try {
      return await task()
    } finally {
      release()
    }
  }

  /** Waits for a slot and returns what releases it; call that once. Throws like `run`. */
  async acquire(signal?: AbortSignal, key = ''): Promise<() => void> {
    signal?.throwIfAborted()
    const slots = this.#byKey.getOrInsertComputed(key, () => ({ running: 0, waiting: new Set() }))
    if (slots.running < this.#maxRunning) slots.running += 1
    else await this.#turn(slots, signal)
    return () => {
      // The slot passes directly to the next task, so `running` stays the same.
      const [next] = slots.waiting
      if (next !== undefined) next()
      else {
        slots.running -= 1
        if (slots.running === 0) this.#byKey.delete(key)
      }
    }
  }

  #turn({ waiting }: Slots, signal: AbortSignal | undefined): Promise<void> {
    if (waiting.size >= this.#maxWaiting) return Promise.reject(new SemaphoreFull('Too many tasks are waiting'))
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = () => {
      waiting.delete(start)
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
    waiting.add(start)
    signal?.addEventListener('abort', onAbort)
    return promise
  }
}
