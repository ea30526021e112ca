import type { Engine, IndexDefinition } from '../database.ts'

/** One forward step of the schema. Once released it never changes. */
export interface Migration {
  readonly id: number
  readonly name: string
  /**
   * Versions that know the migrations up to this one can use the database afterwards. A migration that only adds has the number
   * of the one before it. A migration that removes something names the one that came with the version which stopped using it.
   */
  readonly compatibleFrom: number
  /** Runs in one transaction with the other migrations that are missing. */
  readonly sql: (engine: Engine) => readonly string[]
  /** An index on a table that may be large, built without blocking writers. Then `sql` is empty: it could not be rolled back. */
  readonly index?: IndexDefinition
}
