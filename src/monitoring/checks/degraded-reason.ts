import { DAY_MS } from '../../lib/clock.ts'
import { isoTimestamp } from '../../lib/timestamp.ts'
import { type Reason, reason } from '../../reasons/reason.ts'
import { percentile95, type Rules, type Verdict } from './judge.ts'

const MAX_TIMES = 3

/** Why a monitor is DEGRADED, without its expiry: that is an alert of its own. `cause` is about the assertions. */
export function degradedReason({ degradedBy, samples }: Verdict, rules: Rules, cause?: Reason): Reason | null {
  if (!degradedBy.includes('response time')) return cause ?? null
  const slow = slowReason(samples, rules)
  return cause === undefined ? slow : reason('slow_and', { slow, cause })
}

/** "the last 3 responses took 912, 877 and 1204 ms, limit 800 ms" */
function slowReason(samples: readonly number[], rules: Rules): Reason {
  const limit = rules.degradedThresholdMs as number
  if (rules.degradedThresholdMode === 'P95' && samples.length > 1)
    return reason('slow_p95', { count: samples.length, ms: percentile95(samples), limit })
  const times = samples.slice(-MAX_TIMES)
  const ms = times.at(-1) as number
  if (times.length === 1) return reason('slow_last', { ms, limit })
  return reason('slow_responses', { count: times.length, others: times.slice(0, -1).map(String), ms, limit })
}

/** "expires on Nov 23, 2026 (4 days)" */
export function expiryReason(expiresAt: number, now: number): Reason {
  const at = isoTimestamp(expiresAt)
  if (expiresAt <= now) return reason('expired', { at })
  const count = Math.floor((expiresAt - now) / DAY_MS)
  return count === 0 ? reason('expires_today', { at }) : reason('expires', { at, count })
}
