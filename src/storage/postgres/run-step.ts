import { PostgresQueryCompiler } from 'kysely'
import pg from 'pg'
import { bind, createCompiler } from '../compile.ts'
import { NotNullViolation, UniqueViolation } from '../database.ts'
import type { QueryStep, StepResult } from '../query.ts'

const compile = createCompiler(new PostgresQueryCompiler())

/** A pool, a connection, or the pipeline of reads. */
export interface Executor {
  query(query: pg.QueryConfig): Promise<pg.QueryResult>
}

/** The statements of a step: one, or one for each of its values. */
export function statementsOf(step: QueryStep): pg.QueryConfig[] {
  if ('batch' in step) return statementsOf({ statement: step.batch.together, values: step.batch.arrays(step.list) })
  const compiled = compile(step)
  // With a name the server keeps the prepared statement, per connection.
  const name = compiled.statementId === undefined ? {} : { name: `s${compiled.statementId}` }
  const lists = 'list' in step ? step.list : ['values' in step ? step.values : undefined]
  return lists.map((values) => ({ ...name, text: compiled.sql, values: bind(compiled, values) }))
}

/** What the statements of a step have returned. */
export function resultOf(step: QueryStep, results: readonly pg.QueryResult[]): StepResult {
  if ('list' in step && !('batch' in step)) {
    return { rows: [], changes: 0, changesOfEach: results.map(({ rowCount }) => rowCount ?? 0) }
  }
  const [result] = results
  return { rows: result?.rows ?? [], changes: result?.rowCount ?? 0 }
}

export async function runStep(on: Executor, step: QueryStep): Promise<StepResult> {
  return resultOf(step, await allOrFirstError(statementsOf(step).map((statement) => on.query(statement))))
}

/** Runs steps with one call of `send`, which runs all of their statements. */
export async function runGroup(
  steps: readonly QueryStep[],
  send: (statements: readonly pg.QueryConfig[]) => Promise<readonly pg.QueryResult[]>,
): Promise<readonly StepResult[]> {
  const statements = steps.map(statementsOf)
  const results = await send(statements.flat())
  let from = 0
  return steps.map((step, i) => {
    const count = statements[i]?.length ?? 0
    from += count
    return resultOf(step, results.slice(from - count, from))
  })
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
