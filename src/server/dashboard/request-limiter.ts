import { MINUTE_MS } from '../../lib/clock.ts'
import { FixedWindowLimiter } from '../../lib/fixed-window-limiter.ts'

/** Requests per minute of a session, about ten times what the dashboard makes in heavy use. */
export const PER_SESSION = 1_200
/** Requests per minute of a client without a session. */
export const PER_ADDRESS = 300
const MAX_WINDOWS = 50_000

/**
 * Counts in memory, separately on each node: enough to stop a faulty client. Limits that protect accounts are
 * counted in the database (accounts/sessions/attempt-limits.ts).
 */
export function createRequestLimiter(): FixedWindowLimiter {
  return new FixedWindowLimiter(MINUTE_MS, MAX_WINDOWS)
}
