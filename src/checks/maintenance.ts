import type { Work } from '../storage/query.ts'
import type { Claim } from './claim.ts'

/** Whether a maintenance window covers a monitor: inside one no incident opens and its time is left out of uptime. */
// biome-ignore lint/correctness/useYield: there are no windows to look for yet
export function* isInMaintenance(_claim: Claim, _at: number): Work<boolean> {
  return false
}
