import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../lib/clock.ts'
import type { EmailResult } from '../../outbound/email.ts'

/** The delay before each further attempt at one subscriber; a server that greylists wants some minutes. */
export const RETRY_DELAYS_MS: readonly number[] = [
  MINUTE_MS,
  5 * MINUTE_MS,
  20 * MINUTE_MS,
  HOUR_MS,
  3 * HOUR_MS,
  6 * HOUR_MS,
]

/** An address that was rejected so often in a row is written to no more. */
export const MAX_REJECTIONS = 3

export type NextStep =
  | { readonly do: 'done' }
  /** Somebody's address is not there: noted, and with `disable` for the last time. */
  | { readonly do: 'reject'; readonly disable: boolean }
  /** `counts`: it was about this letter, and not about the mail server. */
  | { readonly do: 'retry'; readonly inMs: number; readonly counts: boolean }
  | { readonly do: 'giveUp' }

interface Tried {
  /** Before this time. */
  readonly attempts: number
  readonly rejections: number
}

/** What follows for one letter; `chance` is between 0 and 1 and spreads retries by a tenth either way. */
export function nextStep(mailed: EmailResult, tried: Tried, chance: number): NextStep {
  if (mailed.ok) return { do: 'done' }
  if (mailed.fault === 'rejected') return { do: 'reject', disable: tried.rejections + 1 >= MAX_REJECTIONS }
  if (mailed.fault === 'unreachable') return { do: 'retry', inMs: 0, counts: false }
  const delayMs = RETRY_DELAYS_MS[tried.attempts]
  if (delayMs === undefined) return { do: 'giveUp' }
  return { do: 'retry', inMs: Math.round(delayMs * (0.9 + 0.2 * chance)), counts: true }
}

const SHORTEST_PAUSE_MS = 15 * SECOND_MS
const LONGEST_PAUSE_MS = 15 * MINUTE_MS

/** How long to leave a mail server alone that has taken nothing so many times in a row. */
export function outagePauseMs(failures: number): number {
  return Math.min(LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS * 2 ** Math.min(failures - 1, 20))
}
