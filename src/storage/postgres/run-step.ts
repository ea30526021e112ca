import { PostgresQueryCompiler } from 'kysely'
import pg from 'pg'
import { bind, createCompiler } from '../compile.ts'
import { NotNullViolation, UniqueViolation } from '../database.ts'
import type { QueryStep, StepResult, Values } from '../query.ts'

const compile = createCompiler(new PostgresQueryCompiler())

/** A pool, a connection, or the pipeline of reads. */
export interface Executor {
  query(query: pg.QueryConfig): Promise<pg.QueryResult>
}

export async function runStep(on: Executor, step: QueryStep): Promise<StepResult> {
  if ('batch' in step) return runStep(on, { statement: step.batch.together, values: step.batch.arrays(step.list) })
  const compiled = compile(step)
  // With a name the server keeps the prepared statement, per connection.
  const name = compiled.statementId === undefined ? {} : { name: `s${compiled.statementId}` }
  const send = (values: Values | undefined) => on.query({ ...name, text: compiled.sql, values: bind(compiled, values) })
  if ('list' in step) {
    const results = await allOrFirstError(step.list.map(send))
    return { rows: [], changes: 0, changesOfEach: results.map(({ rowCount }) => rowCount ?? 0) }
  }
  const result = await send('values' in step ? step.values : undefined)
  return { rows: result.rows, changes: result.rowCount ?? 0 }
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
