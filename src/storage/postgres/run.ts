import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import type { ChangeNotice, DbWork, StepResult } from '../query.ts'
import { isCollision, isEndOfSession, isReadOnly, OutcomeUnknown } from './failures.ts'
import type { Lease } from './lease.ts'
import type { WorkLimits } from './limits.ts'
import type { Pool } from './pool.ts'
import { type Executor, runStep, translated } from './run-step.ts'

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

const MAX_ATTEMPTS = 5
const FIRST_PAUSE_MS = 5

/** Runs work that changes nothing. A statement whose connection was lost is repeated on another one. */
export function readWork<T>(pool: Pool, work: DbWork<T>, limits: WorkLimits): Promise<T> {
  const startedAt = performance.now()
  return runWork({ query: (config) => queryOnce(pool, config, limits, startedAt) }, work)
}

async function queryOnce(
  pool: Pool,
  config: pg.QueryConfig,
  limits: WorkLimits,
  startedAt: number,
): Promise<pg.QueryResult> {
  for (let attempt = 1; ; attempt += 1) {
    const lease = await pool.connect(limits, startedAt)
    let isReusable = true
    try {
      return await lease.query(config)
    } catch (error) {
      isReusable = !isGone(lease, error)
      if (isReusable || !mayRetry(attempt, startedAt, limits)) throw error
    } finally {
      lease.release(isReusable)
    }
  }
}

/**
 * Runs work in a transaction. It is begun again after a deadlock or serialization failure, and after the loss of its
 * connection, or a failover to another server, unless the commit had been sent.
 */
export async function inTransaction<T>(
  pool: Pool,
  work: () => DbWork<T>,
  limits: WorkLimits,
  onCommit: (notices: readonly ChangeNotice[]) => void,
): Promise<T> {
  const startedAt = performance.now()
  for (let attempt = 1; ; attempt += 1) {
    const notices: ChangeNotice[] = []
    const lease = await pool.connect(limits, startedAt)
    const transaction = new Transaction(lease)
    try {
      const value = await transaction.run(work, notices)
      if (notices.length > 0) onCommit(notices)
      return value
    } catch (error) {
      if (!transaction.mayRepeat(error) || !mayRetry(attempt, startedAt, limits)) throw error
    } finally {
      lease.release(transaction.isReusable)
    }
    // Two transactions that collide at the same moment should not collide again.
    await delay(FIRST_PAUSE_MS * attempt * (0.5 + Math.random()))
  }
}

function mayRetry(attempt: number, startedAt: number, { retryMs }: WorkLimits): boolean {
  return attempt < MAX_ATTEMPTS && performance.now() - startedAt < retryMs
}

/** The connection has ended, or its server cannot be used any more. */
function isGone(lease: Lease, error: unknown): boolean {
  return lease.isLost || isEndOfSession(error) || isReadOnly(error)
}

class Transaction {
  readonly #lease: Lease
  #isCommitSent = false
  isReusable = true

  constructor(lease: Lease) {
    this.#lease = lease
  }

  /** Nothing was committed, and another try may succeed. */
  mayRepeat(error: unknown): boolean {
    return !(error instanceof OutcomeUnknown) && (isCollision(error) || isGone(this.#lease, error))
  }

  async run<T>(work: () => DbWork<T>, notices: ChangeNotice[]): Promise<T> {
    try {
      await this.#lease.query('begin')
      const value = await runWork(this.#lease, work(), notices)
      await this.#commit()
      return value
    } catch (error) {
      await this.#rollBack(error)
      throw error
    }
  }

  async #commit(): Promise<void> {
    if (this.#lease.isLost) throw new Error('The connection was lost before the commit')
    this.#isCommitSent = true
    this.#lease.takeWarning()
    let command: string
    try {
      ;({ command } = await this.#lease.query('commit'))
    } catch (error) {
      // An answer of the server, such as a serialization failure, means that nothing was committed.
      if (!isGone(this.#lease, error)) throw error
      throw new OutcomeUnknown('The connection was lost during the commit: the change may have been saved or not', {
        cause: error,
      })
    }
    if (command !== 'COMMIT') throw new Error('The transaction was rolled back, because a statement in it had failed')
    // Somebody has cancelled the wait for a synchronous standby: the change would be lost with this server.
    const warning = this.#lease.takeWarning()
    if (warning !== undefined) throw new OutcomeUnknown(`The change was committed with a warning: ${warning}`)
  }

  async #rollBack(error: unknown): Promise<void> {
    if (isGone(this.#lease, error)) {
      this.isReusable = false
      return
    }
    if (this.#isCommitSent) return
    try {
      await this.#lease.query('rollback')
    } catch {
      this.isReusable = false
    }
  }
}
