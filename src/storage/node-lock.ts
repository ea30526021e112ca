import { sql } from 'kysely'
import type { Database } from './database.ts'
import { all, run, type Statement, statement } from './query.ts'

/** The lock that a node holds for as long as it lives. */
export function nodeLock(node: string): string {
  return `node ${node}`
}

/** Rows that nodes claim: the node stands in `claimed_by`, and the row is due when its time has come. */
interface Claimable {
  readonly table: 'monitor_states' | 'webhook_endpoints' | 'contacts' | 'subscribers' | 'subscriber_notices'
  readonly due: 'next_check_at' | 'due_at' | 'confirm_due_at'
}

/** The claims on one kind of rows, for those who outlive the nodes that made them. */
export class Claims {
  readonly #claimants: Statement<{ self: string }, { claimed_by: string }>
  readonly #release: Statement<{ node: string; now: number }, unknown>

  constructor({ table, due }: Claimable) {
    const rows = sql.table(table)
    this.#claimants = statement(
      ({ self }: { self: string }) =>
        sql<{
          claimed_by: string
        }>`select distinct claimed_by from ${rows} where claimed_by is not null and claimed_by != ${self} limit 1000`,
    )
    this.#release = statement(
      ({ node, now }: { node: string; now: number }) =>
        sql`update ${rows} set claimed_by = null, ${sql.ref(due)} = ${now} where claimed_by = ${node}`,
    )
  }

  /** Makes what a node had claimed due at once; says how much that was. */
  releaseOf(database: Database, node: string, now: number): Promise<number> {
    return database.write(() => run(this.#release, { node, now }))
  }

  /**
   * The same for every node that is dead. A node holds a lock while it lives, and the lock ends with it, however it dies:
   * whoever can take it knows that its owner is gone.
   */
  async releaseOfDead(database: Database, self: string, now: number): Promise<number> {
    let released = 0
    for (const { claimed_by: node } of await database.read(all(this.#claimants, { self }))) {
      const lock = await database.tryLock(nodeLock(node))
      if (lock === undefined) continue
      try {
        released += await this.releaseOf(database, node, now)
      } finally {
        await lock.release()
      }
    }
    return released
  }
}
