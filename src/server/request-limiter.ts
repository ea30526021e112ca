import { MINUTE_MS } from '../lib/clock.ts'
import { FixedWindowLimiter } from '../lib/fixed-window-limiter.ts'

const MAX_WINDOWS = 50_000

/**
 * Counts in memory, separately on each node: enough to stop a faulty client. Limits that protect accounts are
 * counted in the database (accounts/sessions/attempt-limits.ts).
 */
export function createRequestLimiter(): FixedWindowLimiter {
  return new FixedWindowLimiter(MINUTE_MS, MAX_WINDOWS)
}
