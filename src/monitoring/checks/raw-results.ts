import { sql } from 'kysely'
import { allOf, type Batch, batch, insertRows } from '../../storage/batch.ts'
import { type DbWork, first, statement } from '../../storage/query.ts'

export type RawState = 'UP' | 'DEGRADED' | 'DOWN'

/** One row of a check, with as few columns as possible: there are millions. */
export interface RawResult {
  readonly num: number
  readonly at: number
  readonly state: RawState
  readonly responseMs: number | null
  /** For how many days the organization's plan keeps it. */
  readonly keepDays: number
}

/** As they are stored. */
export const stateCodes = { UP: 1, DEGRADED: 2, DOWN: 3 } as const
const statesByCode: readonly RawState[] = ['DOWN', 'UP', 'DEGRADED', 'DOWN']

export function stateOfCode(code: number): RawState {
  return statesByCode[code] ?? 'DOWN'
}

/**
 * Results are appended to one of four tables without an index: each is written to for five minutes, then the next one. The
 * results of a table that is not written to are moved into the blocks of their days (merge-results.ts), and the table is
 * emptied. A result that is written to another table, because it is late or a clock was set, is moved with that table.
 */
export const OPEN_TABLES = ['open_results_0', 'open_results_1', 'open_results_2', 'open_results_3'] as const
export type OpenTable = (typeof OPEN_TABLES)[number]

/** For how long one of the tables is written to. */
const TURN_MS = 300_000

/** The table that results of this time are written to. */
export function openTableAt(at: number): OpenTable {
  return OPEN_TABLES[Math.floor(at / TURN_MS) % OPEN_TABLES.length] as OpenTable
}

const oldestInEach = statement((_: object) => {
  const columns = OPEN_TABLES.map(
    (table, i) => sql`(select at from ${sql.table(table)} limit 1) as ${sql.ref(`t${i}`)}`,
  )
  return sql<Record<string, number | null>>`select ${sql.join(columns)}`
})

/** The time of about the oldest result in each open table, which is its first row; null if the table is empty. */
export function* oldestOfOpenTables(): DbWork<readonly (number | null)[]> {
  const row = yield* first(oldestInEach, {})
  return OPEN_TABLES.map((_, i) => row?.[`t${i}`] ?? null)
}

interface Row {
  num: number
  at: number
  state: number
  ms: number | null
  keep_days: number
}

const types = { num: 'bigint', at: 'bigint', state: 'smallint', ms: 'bigint', keep_days: 'smallint' } as const

const inserts = Object.fromEntries(
  OPEN_TABLES.map((table) => [
    table,
    batch<Row>(types, ({ num, at, state, ms, keep_days }, rows) =>
      insertRows(table, { num, at, state, ms, keep_days }, rows),
    ),
  ]),
) as unknown as Readonly<Record<OpenTable, Batch<Row, unknown>>>

/** Appends the results of one batch. */
export function* appendResults(results: readonly RawResult[]): DbWork<void> {
  const [one] = results
  if (one !== undefined) yield* allOf(inserts[openTableAt(one.at)], results.map(rowOf))
}

function rowOf({ num, at, state, responseMs, keepDays }: RawResult): Row {
  return { num, at, state: stateCodes[state], ms: responseMs, keep_days: keepDays }
}
