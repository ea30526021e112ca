import type { PharosError } from './errors.ts'

export interface RetryLimits {
  readonly maxRetries: number
  /** No retry starts later than this after the first attempt. */
  readonly maxRetryMs: number
}

const FIRST_DELAY_MS = 500
const LONGEST_DELAY_MS = 8000
/** Added to Retry-After, so that clients that were refused together do not return together. */
const SPREAD_MS = 500

/**
 * Milliseconds until the next attempt; undefined if the request is not repeated. `attempt` counts from 0, `random` is in [0, 1).
 * Every request may be repeated: one that changes something carries an Idempotency-Key.
 */
export function retryDelayMs(
  error: PharosError,
  attempt: number,
  elapsedMs: number,
  { maxRetries, maxRetryMs }: RetryLimits,
  random: number,
): number | undefined {
  if (attempt >= maxRetries || !isTemporary(error)) return undefined
  const delayMs =
    error.retryAfter === undefined ? backoffMs(attempt, random) : error.retryAfter * 1000 + random * SPREAD_MS
  return elapsedMs + delayMs > maxRetryMs ? undefined : delayMs
}

function backoffMs(attempt: number, random: number): number {
  const longest = Math.min(FIRST_DELAY_MS * 2 ** attempt, LONGEST_DELAY_MS)
  return longest * (0.5 + random / 2)
}

const temporaryStatuses = [429, 500, 502, 503, 504]

function isTemporary({ code, status }: PharosError): boolean {
  if (code === 'network_error' || code === 'timeout' || code === 'idempotency_in_progress') return true
  return temporaryStatuses.includes(status)
}
