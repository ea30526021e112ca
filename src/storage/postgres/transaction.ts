import type pg from 'pg'
import type { QueryStep, StepResult } from '../query.ts'
import { isCollision, isEndOfSession, isReadOnly, OutcomeUnknown } from './failures.ts'
import type { Lease } from './lease.ts'
import { allOrFirstError, runStep, translated } from './run-step.ts'

/** The connection has ended, or its server cannot be used any more. */
export function isGone(lease: Lease, error: unknown): boolean {
  return lease.isLost || isEndOfSession(error) || isReadOnly(error)
}

/**
 * A transaction with as few round trips as possible: BEGIN travels with the first statement, deferred statements travel
 * with the next awaited one, and the last ones with COMMIT. If a statement fails, PostgreSQL rejects those after it and turns
 * COMMIT into a rollback.
 */
export class Transaction {
  readonly #lease: Lease
  /** Sent and not yet awaited. */
  #sent: Promise<unknown>[] = []
  /** Deferred until BEGIN is confirmed. */
  #held: (() => Promise<unknown>)[] = []
  #isBegun = false
  #isCommitSent = false
  isReusable = true

  constructor(lease: Lease) {
    this.#lease = lease
    lease.cork()
    this.#push(lease.query('begin'))
  }

  /** Nothing was committed, and another try may succeed. */
  mayRepeat(error: unknown): boolean {
    return !(error instanceof OutcomeUnknown) && (isCollision(error) || isGone(this.#lease, error))
  }

  async run(step: QueryStep): Promise<StepResult> {
    if (this.#held.length > 0 || !isRead(step)) await this.#confirmBegin()
    this.#lease.cork()
    const running = runStep(this.#lease, step)
    await this.#settle(running)
    return running
  }

  defer(step: QueryStep, explain: (error: unknown) => unknown): void {
    const start = () =>
      runStep(this.#lease, step).catch((error) => {
        throw explain(translated(error))
      })
    if (!this.#isBegun) this.#held.push(start)
    else {
      this.#lease.cork()
      this.#push(start())
    }
  }

  async commit(): Promise<void> {
    await this.#confirmBegin()
    if (this.#lease.isLost) throw new Error('The connection was lost before the commit')
    this.#lease.takeWarning()
    this.#lease.cork()
    const commit: Promise<pg.QueryResult> = this.#lease.query('commit')
    this.#isCommitSent = true
    try {
      await this.#settle(commit)
    } catch (error) {
      // An answer of the server, such as a serialization failure, means that nothing was committed.
      if (!this.#lease.isLost && !isEndOfSession(error)) throw error
      throw new OutcomeUnknown('The connection was lost during the commit: the change may have been saved or not', {
        cause: error,
      })
    }
    if ((await commit).command !== 'COMMIT') {
      throw new Error('The transaction was rolled back, because a statement in it had failed')
    }
    // Somebody has cancelled the wait for a synchronous standby: the change would be lost with this server.
    const warning = this.#lease.takeWarning()
    if (warning !== undefined) throw new OutcomeUnknown(`The change was committed with a warning: ${warning}`)
  }

  async rollBack(error: unknown): Promise<void> {
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

  /**
   * Writes wait for the confirmation: if BEGIN alone failed, for example by a timeout, a statement behind it would be a
   * transaction of its own. A read does no harm then, because its result is dropped.
   */
  async #confirmBegin(): Promise<void> {
    if (this.#isBegun) return
    await this.#settle()
    this.#lease.cork()
    for (const start of this.#held) this.#push(start())
    this.#held = []
  }

  /** Waits for everything sent, and throws its first error. */
  async #settle(last?: Promise<unknown>): Promise<void> {
    if (last !== undefined) this.#push(last)
    const sent = this.#sent
    this.#sent = []
    await allOrFirstError(sent)
    this.#isBegun = true
  }

  #push(query: Promise<unknown>): void {
    // The error is thrown where the query is awaited, which may be later or, after a rollback, never.
    query.catch(() => undefined)
    this.#sent.push(query)
  }
}

function isRead(step: QueryStep): boolean {
  return 'statement' in step && step.statement.node.kind === 'SelectQueryNode'
}
