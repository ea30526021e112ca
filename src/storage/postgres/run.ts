import pg from 'pg'
import type { ChangeNotice, DbWork, QueryStep, StepResult } from '../query.ts'
import { allOrFirstError, translated } from './run-step.ts'
import { TransactionSession } from './transaction-session.ts'

/** Where the steps of work run. */
export interface Session {
  run(step: QueryStep): Promise<StepResult>
  /** Runs the step without waiting for it. Without this function, deferred steps are awaited. */
  defer?(step: QueryStep, explain: (error: unknown) => unknown): void
  startSnapshot?(): Promise<void>
}

const noRows: StepResult = { rows: [], changes: 0 }

/** Runs work step by step. A failed step throws inside the work. Notices are dropped unless there is an array for them. */
export async function runWork<T>(on: Session, work: DbWork<T>, notices?: ChangeNotice[]): Promise<T> {
  let step = work.next()
  while (step.done !== true) {
    const { value } = step
    let result = noRows
    try {
      if ('notices' in value) notices?.push(...value.notices)
      else if ('snapshot' in value) await on.startSnapshot?.()
      else if ('together' in value) result = await runTogether(on, value.together)
      else if ('deferred' in value && value.deferred !== undefined && on.defer) on.defer(value, value.deferred)
      else result = await on.run(value)
    } catch (error) {
      step = work.throw(translated(error))
      continue
    }
    step = work.next(result)
  }
  return step.value
}

async function runTogether(on: Session, steps: readonly QueryStep[]): Promise<StepResult> {
  const results = await allOrFirstError(steps.map((step) => on.run(step)))
  return { ...noRows, rowsOfEach: results.map(({ rows }) => rows) }
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
    const transaction = new TransactionSession(client)
    try {
      const value = await runWork(transaction, work(), notices)
      await transaction.commit()
      return value
    } catch (error) {
      // If the rollback fails, the connection does not return to the pool.
      if (!transaction.isCommitSent) await client.query('rollback').catch(onError)
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

const SERIALIZATION_FAILURE = '40001'
const DEADLOCK_DETECTED = '40P01'

function isCollision(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === SERIALIZATION_FAILURE || error.code === DEADLOCK_DETECTED)
}
