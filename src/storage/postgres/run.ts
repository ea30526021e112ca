import { PostgresQueryCompiler } from 'kysely'
import pg from 'pg'
import { bind, createCompiler } from '../compile.ts'
import { UniqueViolation } from '../database.ts'
import type { ChangeNotice, DbWork, QueryStep, StepResult, Values } from '../query.ts'

const compile = createCompiler(new PostgresQueryCompiler())

type Executor = pg.Pool | pg.PoolClient

const noRows: StepResult = { rows: [], changes: 0 }

/** Runs work step by step. A failed step throws inside the work. Notices are dropped unless there is an array for them. */
export async function runWork<T>(on: Executor, work: DbWork<T>, notices?: ChangeNotice[]): Promise<T> {
  let step = work.next()
  while (step.done !== true) {
    if ('notices' in step.value) {
      notices?.push(...step.value.notices)
      step = work.next(noRows)
      continue
    }
    let result: StepResult
    try {
      result = await runStep(on, step.value)
    } catch (error) {
      step = work.throw(translated(error))
      continue
    }
    step = work.next(result)
  }
  return step.value
}

async function runStep(on: Executor, step: QueryStep): Promise<StepResult> {
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
async function allOrFirstError<T>(queries: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(queries)
  return Promise.all(queries)
}

const MAX_ATTEMPTS = 5

/** Runs work in a transaction, again from the start after a deadlock or serialization failure. */
export async function inTransaction<T>(
  pool: pg.Pool,
  work: () => DbWork<T>,
  onCommit: (notices: readonly ChangeNotice[]) => void,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const notices: ChangeNotice[] = []
    try {
      const value = await tryTransaction(pool, work, notices)
      if (notices.length > 0) onCommit(notices)
      return value
    } catch (error) {
      if (attempt >= MAX_ATTEMPTS || !isCollision(error)) throw error
    }
  }
}

async function tryTransaction<T>(pool: pg.Pool, work: () => DbWork<T>, notices: ChangeNotice[]): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  // Without a listener, an 'error' event of the connection would end the process. The query in progress fails as well.
  const onError = (error: Error): void => {
    broken = error
  }
  client.on('error', onError)
  try {
    await client.query('begin')
    try {
      const value = await runWork(client, work(), notices)
      await client.query('commit')
      return value
    } catch (error) {
      // If the rollback fails, the connection does not return to the pool.
      await client.query('rollback').catch(onError)
      throw error
    }
  } catch (error) {
    if (broken === undefined && !(error instanceof Error)) broken = new Error('connection state unknown')
    throw error
  } finally {
    client.off('error', onError)
    client.release(broken)
  }
}

const UNIQUE_VIOLATION = '23505'
const SERIALIZATION_FAILURE = '40001'
const DEADLOCK_DETECTED = '40P01'

function isCollision(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === SERIALIZATION_FAILURE || error.code === DEADLOCK_DETECTED)
}

function translated(error: unknown): unknown {
  if (!(error instanceof pg.DatabaseError) || error.code !== UNIQUE_VIOLATION) return error
  return new UniqueViolation(error.message, { cause: error })
}
