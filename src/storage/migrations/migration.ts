import type { Engine, IndexDefinition } from '../database.ts'

/** One forward step of the schema. Once released it never changes. */
export interface Migration {
  readonly id: number
  readonly name: string
  /** Runs in one transaction with the other migrations that are missing. */
  readonly sql: (engine: Engine) => readonly string[]
  /** An index on a table that may be large, built without blocking writers. Then `sql` is empty: it could not be rolled back. */
  readonly index?: IndexDefinition
}
