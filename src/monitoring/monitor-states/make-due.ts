import { sql } from 'kysely'
import { type DbWork, execute, q } from '../../storage/query.ts'

/**
 * Makes monitors due now, and returns the numbers of those that can be due. The new revision discards the result of a check
 * in flight. Monitors that are never due (paused, or waiting for the first heartbeat) stay so.
 */
export function* makeDue(orgId: string, nums: readonly number[], now: number): DbWork<readonly number[]> {
  if (nums.length === 0) return []
  const due = yield* execute(
    q
      .updateTable('monitor_states')
      .set({ next_check_at: now, claimed_by: null, revision: sql<number>`revision + 1` })
      .where('org_id', '=', orgId)
      .where('num', 'in', [...nums])
      .where('next_check_at', 'is not', null)
      .returning('num'),
  )
  return due.map(({ num }) => num)
}
