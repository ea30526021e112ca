const BEAT_MS = 100

/**
 * Knows how long this thread's event loop stood still. A time-out that was measured while it did is not the target's:
 * its answer may have been lying there unread.
 */
export class StallMeter implements Disposable {
  readonly #worthNotingMs: number
  #timer: NodeJS.Timeout | undefined
  #lastBeat = 0
  /** The latest stalls, oldest first. */
  #stalls: { readonly endedAt: number; readonly ms: number }[] = []

  constructor(worthNotingMs: number) {
    this.#worthNotingMs = worthNotingMs
  }

  /** From now on it is watched; of a thread that waits for work there is nothing to know. */
  watch(): void {
    if (this.#timer !== undefined) return
    this.#lastBeat = performance.now()
    this.#timer = setInterval(() => this.#beat(), BEAT_MS).unref()
  }

  rest(): void {
    if (this.#timer === undefined) return
    this.#beat()
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #beat(): void {
    const now = performance.now()
    const ms = now - this.#lastBeat - BEAT_MS
    if (ms >= this.#worthNotingMs) this.#stalls = [...this.#stalls, { endedAt: now, ms }].slice(-20)
    this.#lastBeat = now
  }

  /** The longest stall since a moment of `performance.now()` that was watched, the one that may be just ending included. */
  longestSince(startedAt: number): number {
    const ongoing = this.#timer === undefined ? 0 : performance.now() - this.#lastBeat - BEAT_MS
    return Math.max(ongoing, 0, ...this.#stalls.filter((stall) => stall.endedAt >= startedAt).map((stall) => stall.ms))
  }

  [Symbol.dispose](): void {
    this.rest()
  }
}
