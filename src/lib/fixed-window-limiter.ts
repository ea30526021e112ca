interface Window {
  readonly startedAt: number
  used: number
}

/** Counts attempts per subject in memory, in windows that start with the first attempt of a subject. */
export class FixedWindowLimiter {
  readonly #windowMs: number
  readonly #maxSubjects: number
  /** Oldest first. */
  readonly #windows = new Map<string, Window>()

  /** Beyond `maxSubjects` the subject with the oldest window is forgotten. */
  constructor(windowMs: number, maxSubjects = 50_000) {
    this.#windowMs = windowMs
    this.#maxSubjects = maxSubjects
  }

  /** Counts an attempt. Returns 0 if it is allowed, else the time until the window ends. Refused attempts do not count. */
  count(subject: string, max: number, now: number): number {
    const waitMs = this.waitMs(subject, max, now)
    if (waitMs === 0) this.#windowOf(subject, now).used += 1
    return waitMs
  }

  /** Like `count`, without counting. */
  waitMs(subject: string, max: number, now: number): number {
    const window = this.#windows.get(subject)
    return window === undefined || this.#hasEnded(window, now) || window.used < max
      ? 0
      : window.startedAt + this.#windowMs - now
  }

  /** Whether the subject has a window, which may have ended. */
  has(subject: string): boolean {
    return this.#windows.has(subject)
  }

  forget(subject: string): void {
    this.#windows.delete(subject)
  }

  /** Counts an attempt without a maximum. */
  use(subject: string, now: number): { readonly used: number; readonly resetsInMs: number } {
    const window = this.#windowOf(subject, now)
    window.used += 1
    return { used: window.used, resetsInMs: window.startedAt + this.#windowMs - now }
  }

  /** Takes back one counted attempt. */
  forgive(subject: string): void {
    const window = this.#windows.get(subject)
    if (window !== undefined && window.used > 0) window.used -= 1
  }

  /** Forgets windows that have ended. Returns how many. */
  prune(now: number): number {
    const sizeBefore = this.#windows.size
    for (const [subject, window] of this.#windows) {
      if (now < window.startedAt + this.#windowMs) break
      this.#windows.delete(subject)
    }
    return sizeBefore - this.#windows.size
  }

  #windowOf(subject: string, now: number): Window {
    let window = this.#windows.get(subject)
    if (window === undefined || this.#hasEnded(window, now)) {
      window = { startedAt: now, used: 0 }
      this.#windows.delete(subject)
      this.#windows.set(subject, window)
      const [oldest] = this.#windows.keys()
      if (this.#windows.size > this.#maxSubjects && oldest !== undefined) this.#windows.delete(oldest)
    }
    return window
  }

  /** A clock that was set back ends the window too. */
  #hasEnded({ startedAt }: Window, now: number): boolean {
    return now >= startedAt + this.#windowMs || now < startedAt
  }
}
