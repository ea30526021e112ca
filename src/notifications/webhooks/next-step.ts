import { SECOND_MS } from '../../lib/clock.ts'

/** What follows an attempt. */
export type NextStep =
  | { readonly do: 'done' }
  | { readonly do: 'retry'; readonly inMs: number }
  | { readonly do: 'giveUp' }

export interface AttemptSummary {
  /** Counted from 1, without manual attempts. */
  readonly number: number
  readonly manual: boolean
  /** When the scheduled attempt is due that a manual one came before; null if none is left. */
  readonly plannedInMs: number | null
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
  const jittered = delaySeconds === undefined ? null : delaySeconds * SECOND_MS * (1 - JITTER + 2 * JITTER * random)
  const inMs = attempt.manual ? attempt.plannedInMs : jittered
  if (inMs === null) return { do: 'giveUp' }
  return { do: 'retry', inMs: Math.round(Math.max(inMs, attempt.retryAfterMs ?? 0)) }
}
