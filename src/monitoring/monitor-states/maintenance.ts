import type { DbWork } from '../../storage/query.ts'
import { type Covered, coverageOf } from '../maintenance-coverage/coverage.ts'
import type { Memory } from './memory.ts'

/** A monitor, what is remembered of it, and up to when that is to be told. */
export interface Account {
  readonly orgId: string
  readonly memory: Memory
  readonly at: number
}

/**
 * When monitors are in maintenance: inside a window no incident opens, and its time is left out of uptime. It holds for
 * the time that their accounts are not told of yet; where there are no windows it is one look for all of them.
 */
export function* coveredByMaintenance(accounts: readonly Account[]): DbWork<Covered> {
  const orgIds = new Set<string>()
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const { orgId, memory, at } of accounts) {
    orgIds.add(orgId)
    from = Math.min(from, memory.ledger.until, at)
    to = Math.max(to, at)
  }
  return yield* coverageOf(orgIds, from, to)
}
