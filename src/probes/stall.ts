const BEAT_MS = 100

/**
 * Knows how long this thread's event loop stood still. A time-out that was measured while it did is not the target's:
 * its answer may have been lying there unread.
 */
export class StallMeter implements Disposable {
  readonly #timer: NodeJS.Timeout
  #lastBeat = performance.now()
  /** The latest stalls, oldest first. */
  #stalls: { readonly endedAt: number; readonly ms: number }[] = []

  constructor(worthNotingMs: number) {
    this.#timer = setInterval(() => {
      const now = performance.now()
      const ms = now - this.#lastBeat - BEAT_MS
      if (ms >= worthNotingMs) this.#stalls = [...this.#stalls, { endedAt: now, ms }].slice(-20)
      this.#lastBeat = now
    }, BEAT_MS)
    this.#timer.unref()
  }

  /** The longest stall since a moment of `performance.now()`, the one that may be just ending included. */
  longestSince(startedAt: number): number {
    const ongoing = performance.now() - this.#lastBeat - BEAT_MS
    return Math.max(ongoing, 0, ...this.#stalls.filter((stall) => stall.endedAt >= startedAt).map((stall) => stall.ms))
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }
}
