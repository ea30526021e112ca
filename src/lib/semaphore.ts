/** Runs a limited number of tasks at once. A limited number of others wait in order; the rest are rejected. */
export class Semaphore {
  readonly #maxRunning: number
  readonly #maxWaiting: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(maxRunning: number, maxWaiting = Number.POSITIVE_INFINITY) {
    this.#maxRunning = maxRunning
    this.#maxWaiting = maxWaiting
  }

  /** The result of the task; undefined, without running it, if too many are waiting. */
  async run<T>(task: () => Promise<T>): Promise<T | undefined> {
    if (this.#running >= this.#maxRunning) {
      if (this.#waiting.length >= this.#maxWaiting) return undefined
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    } else this.#running += 1
    try {
      return await task()
    } finally {
      // The slot passes directly to the next task, so `#running` stays the same.
      const next = this.#waiting.shift()
      if (next === undefined) this.#running -= 1
      else next()
    }
  }
}
