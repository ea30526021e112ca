const TICK_MS = 100
const MAX_STALLS = 20

/**
 * Measures how long this thread's event loop was blocked. A timeout that was measured during a stall says nothing about the
 * target: its response may have arrived and waited to be read.
 */
export class StallMeter {
  readonly #minStallMs: number
  readonly #now: () => number
  #timer: NodeJS.Timeout | undefined
  #lastTickAt = 0
  /** The latest stalls, oldest first. */
  #stalls: { readonly endedAt: number; readonly ms: number }[] = []

  /** Stalls shorter than `minStallMs` are not recorded. */
  constructor(minStallMs: number, now: () => number = () => performance.now()) {
    this.#minStallMs = minStallMs
    this.#now = now
  }

  /** Measures until `stop`. An idle thread is not measured, so that it does not wake up ten times a second. */
  start(): void {
    if (this.#timer !== undefined) return
    this.#lastTickAt = this.#now()
    this.#timer = setInterval(() => this.#tick(), TICK_MS).unref()
  }

  stop(): void {
    if (this.#timer === undefined) return
    this.#tick()
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #tick(): void {
    const now = this.#now()
    const ms = now - this.#lastTickAt - TICK_MS
    if (ms >= this.#minStallMs) this.#stalls = [...this.#stalls, { endedAt: now, ms }].slice(-MAX_STALLS)
    this.#lastTickAt = now
  }

  /** The longest stall that ended after `startedAt`, including one whose tick is still overdue. */
  longestSince(startedAt: number): number {
    const ongoing = this.#timer === undefined ? 0 : this.#now() - this.#lastTickAt - TICK_MS
    return Math.max(ongoing, 0, ...this.#stalls.filter((stall) => stall.endedAt >= startedAt).map((stall) => stall.ms))
  }
}
