import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../lib/clock.ts'
import type { SendResult } from './types.ts'

/** The delay before each further attempt for one subscriber. Greylisting servers need several minutes. */
export const RETRY_DELAYS_MS: readonly number[] = [
  MINUTE_MS,
  5 * MINUTE_MS,
  20 * MINUTE_MS,
  HOUR_MS,
  3 * HOUR_MS,
  6 * HOUR_MS,
]

/** A subscriber is disabled after this many rejections in a row. */
const MAX_REJECTIONS = 3

/** An endpoint whose messages have failed for this long is removed. */
const MAX_FAILING_MS = 7 * DAY_MS

export type NextStep =
  | { readonly do: 'done' }
  /** The recipient does not exist, or has failed for too long. */
  | { readonly do: 'reject'; readonly disable: boolean }
  /** `counts`: the failure concerned this e-mail and not the mail server as a whole. */
  | { readonly do: 'retry'; readonly inMs: number; readonly counts: boolean }
  | { readonly do: 'giveUp' }

interface PreviousAttempts {
  readonly attempts: number
  readonly rejections: number
  /** For how long messages to an endpoint have failed. */
  readonly failingMs?: number
}

/** Decides what follows an attempt. `random` (0 to 1) varies the delay by 10% either way. */
export function nextStep(result: SendResult, previous: PreviousAttempts, random: number): NextStep {
  if (result.ok) return { do: 'done' }
  if (result.fault === 'rejected') return { do: 'reject', disable: previous.rejections + 1 >= MAX_REJECTIONS }
  if (result.fault === 'gone') return { do: 'reject', disable: true }
  if (result.fault === 'unreachable') return { do: 'retry', inMs: 0, counts: false }
  if ((previous.failingMs ?? 0) >= MAX_FAILING_MS) return { do: 'reject', disable: true }
  const delayMs = RETRY_DELAYS_MS[previous.attempts]
  if (delayMs === undefined) return { do: 'giveUp' }
  const askedMs = 'retryAfterMs' in result ? (result.retryAfterMs ?? 0) : 0
  return { do: 'retry', inMs: Math.max(askedMs, Math.round(delayMs * (0.9 + 0.2 * random))), counts: true }
}

const MIN_PAUSE_MS = 15 * SECOND_MS
const MAX_PAUSE_MS = 15 * MINUTE_MS

/** How long a notice waits after the mail server was unreachable `failures` times in a row. */
export function outagePauseMs(failures: number): number {
  return Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS * 2 ** Math.min(failures - 1, 20))
}
