import { sql } from 'kysely'
import type { Engine } from './database.ts'
import { type DbWork, execute } from './query.ts'

/** Makes transactions with the same purpose run one at a time, across all nodes, until the end of the transaction. */
export function* lockForTransaction(engine: Engine, purpose: string): DbWork<void> {
  // SQLite has only one write transaction at a time.
  if (engine === 'postgres') {
    yield* execute(sql`select pg_advisory_xact_lock(hashtextextended(${`pharos ${purpose}`}, 0))`)
  }
}
