import { SECOND_MS } from '../../lib/clock.ts'

/** What follows an attempt. */
export type NextStep =
  | { readonly do: 'done' }
  | { readonly do: 'retry'; readonly inMs: number }
  | { readonly do: 'giveUp' }

export interface AttemptSummary {
  /** Counted from 1. */
  readonly number: number
  /** A manual attempt is not followed by scheduled ones. */
  readonly manual: boolean
  readonly succeeded: boolean
  /** From the receiver's Retry-After. */
  readonly retryAfterMs: number | null
}

/** Delays vary by this share, so that deliveries that failed together are not retried together. */
const JITTER = 0.1

/** `delaysSeconds` are the delays before each attempt, including the first; `random` is in [0, 1). */
export function nextStep(attempt: AttemptSummary, delaysSeconds: readonly number[], random: number): NextStep {
  if (attempt.succeeded) return { do: 'done' }
  const delaySeconds = delaysSeconds[attempt.number]
  if (attempt.manual || delaySeconds === undefined) return { do: 'giveUp' }
  const jittered = delaySeconds * SECOND_MS * (1 - JITTER + 2 * JITTER * random)
  return { do: 'retry', inMs: Math.round(Math.max(jittered, attempt.retryAfterMs ?? 0)) }
}
