import { SECOND_MS } from '../../lib/clock.ts'

/** Any HTTP answer, whatever its status, is `answered`. */
export type Reachability = 'answered' | 'unreachable'

const OPENS_AFTER_MISSES = 4
const FIRST_PAUSE_MS = SECOND_MS
const MAX_PAUSE_MS = 30 * SECOND_MS

/** Bounds the memory; the receiver that has been failing longest is dropped first. */
const MAX_RECEIVERS = 10_000

interface Breaker {
  /** While it is open one request at a time is sent, as a probe. The other due deliveries wait and lose no attempt. */
  readonly isOpen: boolean
  /** Until then nothing is sent, except manual retries. */
  readonly pausedUntil: number
}

/** The circuit breakers of the receivers (webhook endpoints, the mail server) that did not answer last time, kept by one node. */
export class Breakers {
  readonly #failing = new Map<string, Breaker & { readonly misses: number }>()

  of(receiver: string): Breaker {
    const { isOpen, pausedUntil } = this.#failing.get(receiver) ?? { isOpen: false, pausedUntil: 0 }
    return { isOpen, pausedUntil }
  }

  note(receiver: string, reachability: Reachability, now: number): void {
    if (reachability === 'answered') {
      this.#failing.delete(receiver)
      return
    }
    const misses = (this.#failing.get(receiver)?.misses ?? 0) + 1
    const isOpen = misses >= OPENS_AFTER_MISSES
    const pauseMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (misses - OPENS_AFTER_MISSES))
    this.#failing.set(receiver, { misses, isOpen, pausedUntil: isOpen ? now + pauseMs : 0 })
    const [oldest] = this.#failing.keys()
    if (this.#failing.size > MAX_RECEIVERS && oldest !== undefined) this.#failing.delete(oldest)
  }
}
