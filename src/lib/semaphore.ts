/** Runs a limited number of tasks at once. The others wait in order. */
export class Semaphore {
  readonly #maxRunning: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(maxRunning: number) {
    this.#maxRunning = maxRunning
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#maxRunning) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#running += 1
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
