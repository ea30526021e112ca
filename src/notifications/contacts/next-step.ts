import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../lib/clock.ts'

/** The delay before each attempt after the first. An alert is given up when the attempt after the last one fails. */
export const RETRY_DELAYS_MS: readonly number[] = [
  10 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
]

export type NextStep = { readonly do: 'retry'; readonly inMs: number } | { readonly do: 'giveUp' }

/**
 * Decides what follows when attempt number `attempt` has failed. `random` (0 to 1) varies the delay by 10% either way;
 * the result is never shorter than `retryAfterMs`.
 */
export function nextStep(
  attempt: number,
  retryAfterMs: number | null,
  random: number,
  delaysMs: readonly number[] = RETRY_DELAYS_MS,
): NextStep {
  const delayMs = delaysMs[attempt - 1]
  if (delayMs === undefined) return { do: 'giveUp' }
  const jittered = Math.round(delayMs * (0.9 + 0.2 * random))
  return { do: 'retry', inMs: Math.max(jittered, retryAfterMs ?? 0) }
}
