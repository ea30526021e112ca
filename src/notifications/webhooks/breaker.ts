import { SECOND_MS } from '../../lib/clock.ts'

/** How a receiver has behaved lately, as one node saw it. */
export interface Breaker {
  /** Attempts in a row that did not reach it. */
  readonly misses: number
  /** Until then it is left alone. */
  readonly restUntil: number
}

/** Anything that answers is there, whatever it answers. */
export type Contact = 'answered' | 'missed'

export const closed: Breaker = { misses: 0, restUntil: 0 }

/** So many misses in a row make it suspect. */
const PATIENCE = 4
const FIRST_REST_MS = SECOND_MS
const LONGEST_REST_MS = 30 * SECOND_MS

/** A suspect is sent one thing at a time, to see whether it is back. What else is due waits and loses no attempt. */
export function isSuspect({ misses }: Breaker): boolean {
  return misses >= PATIENCE
}

export function after(breaker: Breaker, contact: Contact, now: number): Breaker {
  if (contact === 'answered') return closed
  const misses = breaker.misses + 1
  if (misses < PATIENCE) return { misses, restUntil: 0 }
  return { misses, restUntil: now + Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** (misses - PATIENCE)) }
}
