import type pg from 'pg'
import type { QueryStep, StepResult } from '../query.ts'
import { isCollision, isEndOfSession, isReadOnly, OutcomeUnknown } from './failures.ts'
import type { Lease } from './lease.ts'
import { resultOf, runGroup, statementsOf, translated } from './run-step.ts'

/** The connection has ended, or its server cannot be used any more. */
export function isGone(lease: Lease, error: unknown): boolean {
  return lease.isLost || isEndOfSession(error) || isReadOnly(error)
}

const BEGIN: pg.QueryConfig = { name: 'begin', text: 'begin' }
const COMMIT: pg.QueryConfig = { name: 'commit', text: 'commit' }

interface Deferred {
  readonly statement: pg.QueryConfig
  readonly explain: (error: unknown) => unknown
}

/**
 * A transaction with as few round trips as possible: BEGIN and deferred statements travel with the next awaited one, and the
 * last ones with COMMIT, as one group. If a statement fails, PostgreSQL skips those after it.
 */
export class Transaction {
  readonly #lease: Lease
  #deferred: Deferred[] = [{ statement: BEGIN, explain: (error) => error }]
  #isBegun = false
  isReusable = true

  constructor(lease: Lease) {
    this.#lease = lease
  }

  /** Nothing was committed, and another try may succeed. */
  mayRepeat(error: unknown): boolean {
    return !(error instanceof OutcomeUnknown) && (isCollision(error) || isGone(this.#lease, error))
  }

  async run(step: QueryStep): Promise<StepResult> {
    return resultOf(step, await this.#send(statementsOf(step)))
  }

  /** Runs steps in one round trip. */
  runTogether(steps: readonly QueryStep[]): Promise<readonly StepResult[]> {
    return runGroup(steps, (statements) => this.#send(statements))
  }

  defer(step: QueryStep, explain: (error: unknown) => unknown): void {
    for (const statement of statementsOf(step)) this.#deferred.push({ statement, explain })
  }

  async commit(): Promise<void> {
    // An idle connection may be dead. If that shows before the commit is sent, the work can be repeated.
    if (!this.#isBegun) await this.#begin()
    if (this.#lease.isLost) throw new Error('The connection was lost before the commit')
    this.#lease.takeWarning()
    let commit: pg.QueryResult | undefined
    try {
      commit = (await this.#send([COMMIT])).at(-1)
    } catch (error) {
      // An answer of the server, such as a serialization failure, means that nothing was committed.
      if (!this.#lease.isLost && !isEndOfSession(error)) throw error
      throw new OutcomeUnknown('The connection was lost during the commit: the change may have been saved or not', {
        cause: error,
      })
    }
    if (commit?.command !== 'COMMIT') {
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
    try {
      // Without effect if the transaction has ended.
      await this.#lease.query('rollback')
    } catch {
      this.isReusable = false
    }
  }

  async #begin(): Promise<void> {
    const later = this.#deferred.splice(1)
    await this.#send([])
    this.#deferred = later
  }

  /** Sends what was deferred and these statements; returns the results of these. */
  async #send(statements: readonly pg.QueryConfig[]): Promise<readonly pg.QueryResult[]> {
    const deferred = this.#deferred
    this.#deferred = []
    const group = [...deferred.map(({ statement }) => statement), ...statements]
    const results = await this.#lease.queryGroup(group, (error, position) => {
      const explain = deferred[position]?.explain
      return explain === undefined ? error : explain(translated(error))
    })
    this.#isBegun = true
    return results.slice(deferred.length)
  }
}
