import { DAY_MS } from '../../lib/clock.ts'
import { utcDateText } from '../../lib/timestamp.ts'
import { percentile95, type Rules, type Verdict } from './judge.ts'

const MAX_TIMES = 3

/** Why a monitor is DEGRADED, without its expiry: that is an alert of its own. `failed` is about the assertions. */
export function degradedText({ degradedBy, samples }: Verdict, rules: Rules, failed?: string): string | null {
  const reasons = [
    ...(degradedBy.includes('response time') ? [slowText(samples, rules)] : []),
    ...(failed === undefined ? [] : [failed]),
  ]
  return reasons.length === 0 ? null : reasons.join('; ')
}

/** "the last 3 responses took 912, 877 and 1204 ms, limit 800 ms" */
function slowText(samples: readonly number[], rules: Rules): string {
  const limit = `limit ${rules.degradedThresholdMs} ms`
  if (rules.degradedThresholdMode === 'P95' && samples.length > 1) {
    return `p95 of the last ${samples.length} responses is ${percentile95(samples)} ms, ${limit}`
  }
  const times = samples.slice(-MAX_TIMES)
  if (times.length === 1) return `the last response took ${times[0]} ms, ${limit}`
  return `the last ${times.length} responses took ${times.slice(0, -1).join(', ')} and ${times.at(-1)} ms, ${limit}`
}

/** "expires on Nov 23, 2026 (4 days)" */
export function expiryText(expiresAt: number, now: number): string {
  const date = utcDateText(expiresAt)
  if (expiresAt <= now) return `expired on ${date}`
  const days = Math.floor((expiresAt - now) / DAY_MS)
  const left = days === 0 ? 'less than a day' : days === 1 ? '1 day' : `${days} days`
  return `expires on ${date} (${left})`
}
