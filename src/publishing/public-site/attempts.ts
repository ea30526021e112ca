/** How often something may be tried within a span of time. */
export interface Allowance {
  readonly most: number
  readonly windowMs: number
}

interface Window {
  readonly startedAt: number
  used: number
}

/** More subjects than this are not remembered at once: the one that began first is forgotten. */
const MAX_SUBJECTS = 10_000

/** Counts what each subject tries in windows that begin with its first attempt. */
export class Attempts {
  readonly #allowance: Allowance
  readonly #windows = new Map<string, Window>()

  constructor(allowance: Allowance) {
    this.#allowance = allowance
  }

  /** Counts an attempt; how long to wait where there was one too many, else 0. */
  count(subject: string, now: number): number {
    const { most, windowMs } = this.#allowance
    let window = this.#windows.get(subject)
    if (window === undefined || now >= window.startedAt + windowMs || now < window.startedAt) {
      window = { startedAt: now, used: 0 }
      this.#windows.delete(subject)
      this.#windows.set(subject, window)
      const [oldest] = this.#windows.keys()
      if (this.#windows.size > MAX_SUBJECTS && oldest !== undefined) this.#windows.delete(oldest)
    }
    if (window.used >= most) return window.startedAt + windowMs - now
    window.used += 1
    return 0
  }

  /** Takes an attempt back: it was none that anybody need be kept from repeating. */
  forgive(subject: string): void {
    const window = this.#windows.get(subject)
    if (window !== undefined && window.used > 0) window.used -= 1
  }
}

/** A few at a time; of the others some wait, and the rest are turned away. */
export class Turnstile {
  readonly #mostAtOnce: number
  readonly #mostWaiting: number
  readonly #waiting: (() => void)[] = []
  #inside = 0

  constructor(mostAtOnce: number, mostWaiting: number) {
    this.#mostAtOnce = mostAtOnce
    this.#mostWaiting = mostWaiting
  }

  /** Runs it when it is its turn; undefined where too many wait already. */
  async pass<T>(run: () => Promise<T>): Promise<T | undefined> {
    if (this.#inside >= this.#mostAtOnce) {
      if (this.#waiting.length >= this.#mostWaiting) return undefined
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    } else this.#inside += 1
    try {
      return await run()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#inside -= 1
      else next()
    }
  }
}
