import { sql } from 'kysely'
import type { Engine } from './database.ts'
import { type DbWork, execute } from './query.ts'

/** From here to the end of the transaction no other node is in work that named the same purpose. */
export function* lockForTransaction(engine: Engine, purpose: string): DbWork<void> {
  // SQLite's write transaction is such a lock already.
  if (engine === 'postgres')
    yield* execute(sql`select pg_advisory_xact_lock(hashtextextended(${`pharos ${purpose}`}, 0))`)
}
