import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../lib/clock.ts'

/** The delay before each attempt after the first; with the last of them in vain it is given up. */
export const RETRY_DELAYS_MS: readonly number[] = [
  10 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
]

/** Nobody is believed who asks for more patience than this. */
const LONGEST_WAIT_MS = 2 * HOUR_MS

export type NextStep = { readonly do: 'retry'; readonly inMs: number } | { readonly do: 'giveUp' }

/**
 * What to do after the attempt number `attempt` failed. `chance` is between 0 and 1 and spreads retries by a tenth
 * either way; a wish of the other side is kept, and never cut short by chance.
 */
export function nextStep(
  attempt: number,
  retryAfterMs: number | null,
  chance: number,
  delaysMs: readonly number[] = RETRY_DELAYS_MS,
): NextStep {
  const delayMs = delaysMs[attempt - 1]
  if (delayMs === undefined) return { do: 'giveUp' }
  const spread = Math.round(delayMs * (0.9 + 0.2 * chance))
  return { do: 'retry', inMs: Math.max(spread, retryAfterMs ?? 0) }
}

/** How long the other side asked us to wait: seconds, or a moment as HTTP writes it. */
export function retryAfterMs(header: string | null, now: number): number | null {
  if (header === null) return null
  const text = header.trim()
  const waitMs = /^\d+(\.\d+)?$/.test(text) ? Math.ceil(Number(text) * 1000) : Date.parse(text) - now
  return Number.isNaN(waitMs) ? null : Math.min(Math.max(0, waitMs), LONGEST_WAIT_MS)
}
