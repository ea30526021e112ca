import type pg from 'pg'
import type { QueryStep, StepResult } from '../query.ts'
import { corked } from './corked.ts'
import { allOrFirstError, runStep, translated } from './run-step.ts'

/**
 * A transaction on one connection, with as few round trips as possible: BEGIN travels with the first statement, deferred
 * statements travel with the next awaited one, and the last ones with COMMIT. If a statement fails, PostgreSQL rejects those
 * after it and turns COMMIT into a rollback.
 */
export class TransactionSession {
  readonly #client: pg.PoolClient
  /** Sent and not yet awaited. */
  #sent: Promise<unknown>[] = []
  /** Deferred until BEGIN is confirmed. */
  #held: (() => Promise<unknown>)[] = []
  #isBegun = false
  isCommitSent = false

  constructor(client: pg.PoolClient) {
    this.#client = client
    corked(client)
    this.#push(client.query('begin'))
  }

  async run(step: QueryStep): Promise<StepResult> {
    if (this.#held.length > 0 || !isRead(step)) await this.#confirmBegin()
    corked(this.#client)
    const running = runStep(this.#client, step)
    await this.#settle(running)
    return running
  }

  defer(step: QueryStep, explain: (error: unknown) => unknown): void {
    const start = () =>
      runStep(this.#client, step).catch((error) => {
        throw explain(translated(error))
      })
    if (!this.#isBegun) this.#held.push(start)
    else {
      corked(this.#client)
      this.#push(start())
    }
  }

  async commit(): Promise<void> {
    await this.#confirmBegin()
    corked(this.#client)
    const commit = this.#client.query('commit')
    this.isCommitSent = true
    await this.#settle(commit)
    if ((await commit).command !== 'COMMIT') throw new Error('The transaction was rolled back')
  }

  /**
   * Writes wait for the confirmation: if BEGIN alone failed, for example by a timeout, a statement behind it would be a
   * transaction of its own. A read does no harm then, because its result is dropped.
   */
  async #confirmBegin(): Promise<void> {
    if (this.#isBegun) return
    await this.#settle()
    corked(this.#client)
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
