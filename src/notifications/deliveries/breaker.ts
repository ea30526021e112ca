import { SECOND_MS } from '../../lib/clock.ts'

/** A circuit breaker for one receiver, kept by one node. */
export interface Breaker {
  /** Attempts in a row that did not reach the receiver. */
  readonly misses: number
  /** Until then nothing is sent, except manual retries. */
  readonly pausedUntil: number
}

/** Any HTTP answer, whatever its status, is `answered`. */
export type Reachability = 'answered' | 'unreachable'

export const closed: Breaker = { misses: 0, pausedUntil: 0 }

const OPENS_AFTER_MISSES = 4
const FIRST_PAUSE_MS = SECOND_MS
const MAX_PAUSE_MS = 30 * SECOND_MS

/** While it is open one request at a time is sent, as a probe. The other due deliveries wait and lose no attempt. */
export function isOpen({ misses }: Breaker): boolean {
  return misses >= OPENS_AFTER_MISSES
}

export function breakerAfter(breaker: Breaker, reachability: Reachability, now: number): Breaker {
  if (reachability === 'answered') return closed
  const misses = breaker.misses + 1
  if (misses < OPENS_AFTER_MISSES) return { misses, pausedUntil: 0 }
  const pauseMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (misses - OPENS_AFTER_MISSES))
  return { misses, pausedUntil: now + pauseMs }
}

/** Bounds the memory; the receiver that has been failing longest is dropped first. */
const MAX_RECEIVERS = 10_000

/** The breakers of the receivers (webhook endpoints, the mail server) that did not answer last time. */
export class Breakers {
  readonly #failing = new Map<string, Breaker>()

  of(receiver: string): { readonly isOpen: boolean; readonly pausedUntil: number } {
    const breaker = this.#failing.get(receiver) ?? closed
    return { isOpen: isOpen(breaker), pausedUntil: breaker.pausedUntil }
  }

  note(receiver: string, reachability: Reachability, now: number): void {
    if (reachability === 'answered') {
      this.#failing.delete(receiver)
      return
    }
    this.#failing.set(receiver, breakerAfter(this.#failing.get(receiver) ?? closed, reachability, now))
    const [oldest] = this.#failing.keys()
    if (this.#failing.size > MAX_RECEIVERS && oldest !== undefined) this.#failing.delete(oldest)
  }
}
