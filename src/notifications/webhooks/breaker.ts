import { SECOND_MS } from '../../lib/clock.ts'

/** A circuit breaker for one endpoint, kept by one node. */
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
