import type { Engine } from '../database.ts'

/** One forward step of the schema. Once released it never changes. */
export interface Migration {
  readonly id: number
  readonly name: string
  readonly sql: (engine: Engine) => readonly string[]
}
