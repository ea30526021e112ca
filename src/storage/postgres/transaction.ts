import type pg from 'pg'
import type { QueryStep, StepResult } from '../query.ts'
import { isCollision, isEndOfSession, isReadOnly, OutcomeUnknown } from './failures.ts'
import type { Lease } from './lease.ts'
import { allOrFirstError, runStep, translated } from './run-step.ts'

/** The connection has ended, or its server cannot be used any more. */
export function isGone(lease: Lease, error: unknown): boolean {
  return lease.isLost || isEndOfSession(error) || isReadOnly(error)
}

function isRead(step: QueryStep): boolean {
  if ('batch' in step) return false
  return ('query' in step ? step.query : step.statement.node).kind === 'SelectQueryNode'
}

/**
 * A transaction. Deferred statements are sent without waiting for their results; the next awaited statement or the commit waits
 * for them. If one fails, PostgreSQL refuses those after it, and the commit becomes a rollback.
 */
export class Transaction {
  readonly #lease: Lease
  #sent: Promise<unknown>[] = []
  /** Until BEGIN is answered. */
  #beginning: Promise<unknown> | undefined
  isReusable = true

  constructor(lease: Lease) {
    this.#lease = lease
  }

  /** Nothing was committed, and another try may succeed. */
  mayRepeat(error: unknown): boolean {
    return !(error instanceof OutcomeUnknown) && (isCollision(error) || isGone(this.#lease, error))
  }

  /** A read is sent with BEGIN. Changes wait for its answer: after a failed BEGIN, each of them would be committed by itself. */
  begin(): void {
    const beginning = this.#lease.query('begin').then(() => {
      this.#beginning = undefined
    })
    beginning.catch(() => undefined)
    this.#beginning = beginning
    this.#sent.push(beginning)
  }

  async run(step: QueryStep): Promise<StepResult> {
    if (!isRead(step)) await this.#beginning
    return this.#afterSent(runStep(this.#lease, step))
  }

  async runTogether(steps: readonly QueryStep[]): Promise<readonly StepResult[]> {
    if (!steps.every(isRead)) await this.#beginning
    return this.#afterSent(allOrFirstError(steps.map((step) => runStep(this.#lease, step))))
  }

  async defer(step: QueryStep, explain: (error: unknown) => unknown): Promise<void> {
    await this.#beginning
    const result = runStep(this.#lease, step).catch((error) => {
      throw explain(translated(error))
    })
    // Its error is thrown by the next step.
    result.catch(() => undefined)
    this.#sent.push(result)
  }

  async commit(): Promise<void> {
    if (this.#lease.isLost) throw new Error('The connection was lost before the commit')
    this.#lease.takeWarning()
    let commit: pg.QueryResult
    try {
      commit = await this.#afterSent(this.#lease.query('commit'))
    } catch (error) {
      // An answer of the server, such as a serialization failure, means that nothing was committed.
      if (!this.#lease.isLost && !isEndOfSession(error)) throw error
      throw new OutcomeUnknown('The connection was lost during the commit: the change may have been saved or not', {
        cause: error,
      })
    }
    if (commit.command !== 'COMMIT') {
      throw new Error('The transaction was rolled back, because a statement in it had failed')
    }
    // Somebody has cancelled the wait for a synchronous standby: the change would be lost with this server.
    const warning = this.#lease.takeWarning()
    if (warning !== undefined) throw new OutcomeUnknown(`The change was committed with a warning: ${warning}`)
  }

  async commitPortion(): Promise<void> {
    await this.commit()
    this.begin()
  }

  async rollBack(error: unknown): Promise<void> {
    if (isGone(this.#lease, error)) {
      this.isReusable = false
      return
    }
    try {
      // Without effect if the transaction has ended.
      await this.#lease.query('rollback')
    } catch {
      this.isReusable = false
    }
  }

  async #afterSent<T>(result: Promise<T>): Promise<T> {
    const sent = this.#sent
    this.#sent = []
    await allOrFirstError<unknown>([...sent, result])
    return result
  }
}
