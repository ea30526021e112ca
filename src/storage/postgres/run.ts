import { setTimeout as delay } from 'node:timers/promises'
import type { ChangeNotice, DbWork, QueryStep, StepResult } from '../query.ts'
import type { Lease } from './lease.ts'
import type { WorkLimits } from './limits.ts'
import type { Pool } from './pool.ts'
import { allOrFirstError, type Executor, runStep, translated } from './run-step.ts'
import { isGone, Transaction } from './transaction.ts'

/** Where the steps of work run. */
export interface Session {
  run(step: QueryStep): Promise<StepResult>
  /** Sends all steps at once, over one connection. */
  runTogether(steps: readonly QueryStep[]): Promise<readonly StepResult[]>
  /** Sends the step without waiting for its result. Without this function, deferred steps are awaited. */
  defer?(step: QueryStep, explain: (error: unknown) => unknown): Promise<void>
  startSnapshot?(): Promise<void>
  commitPortion?(): Promise<void>
}

const noRows: StepResult = { rows: [], changes: 0 }

/** Runs work on a connection, which may be in a transaction. */
export function runWork<T>(on: Executor, work: DbWork<T>): Promise<T> {
  const run = (step: QueryStep) => runStep(on, step)
  return runSteps({ run, runTogether: (steps) => allOrFirstError(steps.map(run)) }, work)
}

/** Runs work step by step. A failed step throws inside the work. Notices are dropped unless there is an array for them. */
export async function runSteps<T>(on: Session, work: DbWork<T>, notices?: ChangeNotice[]): Promise<T> {
  let step = work.next()
  while (step.done !== true) {
    const { value } = step
    let result = noRows
    try {
      if ('notices' in value) notices?.push(...value.notices)
      else if ('snapshot' in value) await on.startSnapshot?.()
      else if ('portion' in value) await on.commitPortion?.()
      else if ('together' in value) {
        const results = await on.runTogether(value.together)
        result = { ...noRows, rowsOfEach: results.map(({ rows }) => rows) }
      } else if ('deferred' in value && value.deferred !== undefined && on.defer) await on.defer(value, value.deferred)
      else result = await on.run(value)
    } catch (error) {
      step = work.throw(translated(error))
      continue
    }
    step = work.next(result)
  }
  return step.value
}

const MAX_ATTEMPTS = 5
const FIRST_PAUSE_MS = 5

/**
 * Runs work in a transaction. It is begun again after a deadlock or serialization failure, and after the loss of its
 * connection, or a failover to another server, unless the commit had been sent.
 */
export async function inTransaction<T>(
  pool: Pool,
  work: () => DbWork<T>,
  limits: WorkLimits,
  onCommit: (notices: readonly ChangeNotice[]) => void,
  orgId?: string,
): Promise<T> {
  const startedAt = performance.now()
  for (let attempt = 1; ; attempt += 1) {
    const notices: ChangeNotice[] = []
    const lease = await pool.connect(limits, startedAt, orgId)
    const transaction = new Transaction(lease)
    try {
      transaction.begin()
      const value = await runSteps(transaction, work(), notices)
      await transaction.commit()
      if (notices.length > 0) onCommit(notices)
      return value
    } catch (error) {
      await transaction.rollBack(error)
      if (!transaction.mayRepeat(error) || !mayRetry(attempt, startedAt, limits)) throw error
    } finally {
      lease.release(transaction.isReusable)
    }
    // Two transactions that collide at the same moment should not collide again.
    await delay(FIRST_PAUSE_MS * attempt * (0.5 + Math.random()))
  }
}

/** Runs what may be repeated. If its connection was lost, it is repeated on another one. */
export async function withConnection<T>(
  connect: (startedAt: number) => Promise<Lease>,
  limits: WorkLimits,
  query: (lease: Lease) => Promise<T>,
): Promise<T> {
  const startedAt = performance.now()
  for (let attempt = 1; ; attempt += 1) {
    const lease = await connect(startedAt)
    let isReusable = true
    try {
      return await query(lease)
    } catch (error) {
      isReusable = !isGone(lease, error)
      if (isReusable || !mayRetry(attempt, startedAt, limits)) throw error
    } finally {
      lease.release(isReusable)
    }
  }
}

function mayRetry(attempt: number, startedAt: number, { retryMs }: WorkLimits): boolean {
  return attempt < MAX_ATTEMPTS && performance.now() - startedAt < retryMs
}
