import type { Database } from '../storage/database.ts'
import { all, q, run, statement } from '../storage/query.ts'

const claimants = statement(({ self }: { self: string }) =>
  q
    .selectFrom('monitor_states')
    .select('claimed_by')
    .distinct()
    .where('claimed_by', 'is not', null)
    .where('claimed_by', '!=', self)
    .limit(1000),
)

const release = statement(({ node, now }: { node: string; now: number }) =>
  q.updateTable('monitor_states').set({ claimed_by: null, next_check_at: now }).where('claimed_by', '=', node),
)

/** The lock that a node holds for as long as it lives. */
export function lifeLock(node: string): string {
  return `node ${node}`
}

/**
 * Makes the claims of dead nodes due at once. A node holds a lock while it lives, and the lock ends with it, however it
 * dies: whoever can take it knows that its owner is gone.
 */
export async function releaseDeadClaims(database: Database, self: string, now: number): Promise<number> {
  let released = 0
  const others = await database.read(all(claimants, { self }))
  for (const { claimed_by: node } of others) {
    if (node === null) continue
    const lock = await database.tryLock(lifeLock(node))
    if (lock === undefined) continue
    try {
      released += await database.write(() => run(release, { node, now }))
    } finally {
      await lock.release()
    }
  }
  return released
}
