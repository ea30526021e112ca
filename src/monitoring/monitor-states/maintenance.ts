import type { DbRead } from '../../storage/query.ts'
import { type CoverageLookup, coverageOf } from '../maintenance-coverage/coverage.ts'
import type { Memory } from './memory.ts'

/** The time from where a monitor's ledger ends up to `at`. */
export interface UnaccountedTime {
  readonly orgId: string
  readonly memory: Memory
  readonly at: number
}

/** When these monitors are in maintenance, within the time that their ledgers do not account for yet: one query for all. */
export function* maintenanceCoverage(times: readonly UnaccountedTime[]): DbRead<CoverageLookup> {
  const orgIds = new Set<string>()
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const { orgId, memory, at } of times) {
    orgIds.add(orgId)
    from = Math.min(from, memory.ledger.accountedUntil, at)
    to = Math.max(to, at)
  }
  return yield* coverageOf(orgIds, from, to)
}
