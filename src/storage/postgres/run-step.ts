import { PostgresQueryCompiler } from 'kysely'
import pg from 'pg'
import { bind, createCompiler } from '../compile.ts'
import { NotNullViolation, UniqueViolation } from '../database.ts'
import type { QueryStep, StepResult } from '../query.ts'

const compile = createCompiler(new PostgresQueryCompiler())

/** A pool or a connection. */
export interface Executor {
  query(query: pg.QueryConfig): Promise<pg.QueryResult>
}

/** The statements of a step: one, or one for each of its values. */
function statementsOf(step: QueryStep): pg.QueryConfig[] {
  if ('batch' in step) return statementsOf({ statement: step.batch.together, values: step.batch.arrays(step.list) })
  const compiled = compile(step)
  // With a name the server keeps the prepared statement, per connection. It refuses one whose columns have become more by a
  // migration of another node.
  const { statementId, hasAllColumns } = compiled
  const name = statementId === undefined || hasAllColumns ? {} : { name: `s${statementId}` }
  const lists = 'list' in step ? step.list : ['values' in step ? step.values : undefined]
  return lists.map((values) => ({ ...name, text: compiled.sql, values: bind(compiled, values) }))
}

/** Sends all statements of the step at once. */
export async function runStep(on: Executor, step: QueryStep): Promise<StepResult> {
  return resultOf(step, await allOrFirstError(statementsOf(step).map((statement) => on.query(statement))))
}

/** What the statements of a step have returned. */
function resultOf(step: QueryStep, results: readonly pg.QueryResult[]): StepResult {
  if ('list' in step && !('batch' in step)) {
    return { rows: [], changes: 0, changesOfEach: results.map(({ rowCount }) => rowCount ?? 0) }
  }
  const [result] = results
  return { rows: result?.rows ?? [], changes: result?.rowCount ?? 0 }
}

/** Waits until all have settled, then throws the first error in order: later ones are consequences of it. */
export async function allOrFirstError<T>(queries: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(queries)
  return Promise.all(queries)
}

const UNIQUE_VIOLATION = '23505'
const NOT_NULL_VIOLATION = '23502'

export function translated(error: unknown): unknown {
  if (!(error instanceof pg.DatabaseError)) return error
  if (error.code === UNIQUE_VIOLATION) return new UniqueViolation(error.message, { cause: error })
  if (error.code === NOT_NULL_VIOLATION) return new NotNullViolation(error.message, { cause: error })
  return error
}
