import { PostgresQueryCompiler } from 'kysely'
import pg from 'pg'
import { bind, createCompiler } from '../compile.ts'
import { UniqueViolation } from '../database.ts'
import type { ChangeNotice, DbWork, QueryStep, StepResult, Values } from '../query.ts'

const compile = createCompiler(new PostgresQueryCompiler())

type Executor = pg.Pool | pg.PoolClient

const nothing: StepResult = { rows: [], changes: 0 }

/** Drives work step by step. A failed step is thrown into the work, which may translate it. */
export async function drive<T>(on: Executor, work: DbWork<T>, told?: ChangeNotice[]): Promise<T> {
  let turn = work.next()
  while (turn.done !== true) {
    if ('told' in turn.value) {
      told?.push(...turn.value.told)
      turn = work.next(nothing)
      continue
    }
    let outcome: StepResult
    try {
      outcome = await execute(on, turn.value)
    } catch (error) {
      turn = work.throw(named(error))
      continue
    }
    turn = work.next(outcome)
  }
  return turn.value
}

async function execute(on: Executor, step: QueryStep): Promise<StepResult> {
  const compiled = compile(step)
  // A name makes the server keep the plan, per connection.
  const name = compiled.statementId === undefined ? {} : { name: `s${compiled.statementId}` }
  const send = (given: Values | undefined) => on.query({ ...name, text: compiled.sql, values: bind(compiled, given) })
  if ('list' in step) {
    const results = await together(step.list.map(send))
    return { rows: [], changes: 0, changesOfEach: results.map(({ rowCount }) => rowCount ?? 0) }
  }
  const result = await send('values' in step ? step.values : undefined)
  return { rows: result.rows, changes: result.rowCount ?? 0 }
}

/** Waits for all, whatever becomes of them, and throws what failed first: the others failed because of it. */
async function together<T>(queries: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(queries)
  const failed = settled.find((result) => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  return settled.map((result) => (result as PromiseFulfilledResult<T>).value)
}

const ATTEMPTS = 5

export async function inTransaction<T>(
  pool: pg.Pool,
  work: () => DbWork<T>,
  tell: (told: readonly ChangeNotice[]) => void,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const told: ChangeNotice[] = []
    try {
      const value = await once(pool, work, told)
      if (told.length > 0) tell(told)
      return value
    } catch (error) {
      if (attempt >= ATTEMPTS || !isCollision(error)) throw error
    }
  }
}

async function once<T>(pool: pg.Pool, work: () => DbWork<T>, told: ChangeNotice[]): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  // Whoever waits for the connection is told of its loss by a failed query; told to nobody, it would end the process.
  const noteLoss = (lost: Error): void => {
    broken = lost
  }
  client.on('error', noteLoss)
  try {
    await client.query('begin')
    try {
      const value = await drive(client, work(), told)
      await client.query('commit')
      return value
    } catch (error) {
      // A connection that cannot even roll back is not given to anybody else.
      await client.query('rollback').catch((lost: Error) => {
        broken = lost
      })
      throw error
    }
  } catch (error) {
    if (broken === undefined && !(error instanceof Error)) broken = new Error('connection state unknown')
    throw error
  } finally {
    client.off('error', noteLoss)
    client.release(broken)
  }
}

const UNIQUE_VIOLATION = '23505'
const SERIALIZATION_FAILURE = '40001'
const DEADLOCK_DETECTED = '40P01'

function isCollision(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === SERIALIZATION_FAILURE || error.code === DEADLOCK_DETECTED)
}

function named(error: unknown): unknown {
  if (!(error instanceof pg.DatabaseError) || error.code !== UNIQUE_VIOLATION) return error
  return new UniqueViolation(error.message, { cause: error })
}
