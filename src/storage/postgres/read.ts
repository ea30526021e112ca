import type pg from 'pg'
import type { DbWork, QueryStep, StepResult } from '../query.ts'
import type { Lease } from './lease.ts'
import type { WorkLimits } from './limits.ts'
import { createPipeline, type Pipeline } from './pipeline.ts'
import type { Pool } from './pool.ts'
import { mayRetry, runSteps, type Session } from './run.ts'
import { allOrFirstError, type Executor, runGroup, runStep } from './run-step.ts'
import { isGone } from './transaction.ts'

/** Returns a function that runs work that changes nothing. */
export function createReader(pool: Pool, limits: WorkLimits): <T>(work: DbWork<T>, orgId?: string) => Promise<T> {
  const pipeline = shareEqualReads(createPipeline(pool, limits))
  return async (work, orgId) => {
    const session = new ReadSession((startedAt) => pool.connect(limits, startedAt, orgId), limits, pipeline)
    try {
      return await runSteps(session, work)
    } finally {
      session.end()
    }
  }
}

/**
 * Requests that wait for the same rows at the same time share one statement. Only until it is sent: a request sees
 * everything that was committed before it arrived.
 */
function shareEqualReads(pipeline: Pipeline): Executor {
  const waiting = new Map<string, Promise<pg.QueryResult>>()
  return {
    query(config) {
      const key = JSON.stringify([config.name, config.values])
      const same = waiting.get(key)
      if (same !== undefined) return same
      const result = pipeline.query(config, () => waiting.delete(key))
      waiting.set(key, result)
      return result
    },
  }
}

/** Reads that many requests repeat are short. Others get a connection of their own, so that nothing waits for them. */
function isShort(step: QueryStep): boolean {
  return 'statement' in step && step.statement.cacheable
}

class ReadSession implements Session {
  readonly #connect: (startedAt: number) => Promise<Lease>
  readonly #limits: WorkLimits
  readonly #pipeline: Executor
  readonly #startedAt = performance.now()
  #snapshot: Lease | undefined
  #begun: Promise<unknown> = Promise.resolve()
  #isReusable = true

  constructor(connect: (startedAt: number) => Promise<Lease>, limits: WorkLimits, pipeline: Executor) {
    this.#connect = connect
    this.#limits = limits
    this.#pipeline = pipeline
  }

  async run(step: QueryStep): Promise<StepResult> {
    if (this.#snapshot !== undefined) return this.#inSnapshot(this.#snapshot, step)
    if (isShort(step)) return runStep(this.#pipeline, step)
    return runStep({ query: (config) => this.#onConnection((lease) => lease.query(config)) }, step)
  }

  /** In order, on one connection. */
  runTogether(steps: readonly QueryStep[]): Promise<readonly StepResult[]> {
    const snapshot = this.#snapshot
    if (snapshot !== undefined) return allOrFirstError(steps.map((step) => this.#inSnapshot(snapshot, step)))
    if (steps.every(isShort)) return allOrFirstError(steps.map((step) => runStep(this.#pipeline, step)))
    return runGroup(steps, (statements) =>
      this.#onConnection((lease) => lease.queryGroup(statements, (error) => error)),
    )
  }

  async startSnapshot(): Promise<void> {
    if (this.#snapshot !== undefined) return
    const lease = await this.#connect(this.#startedAt)
    this.#snapshot = lease
    lease.cork()
    // Not awaited: it travels with the first statement.
    this.#begun = lease.query('begin isolation level repeatable read, read only')
    this.#begun.catch(this.#onError)
  }

  /** The result of the read does not wait for the end of its transaction. */
  end(): void {
    const lease = this.#snapshot
    if (lease === undefined) return
    lease
      .query('commit')
      .catch(this.#onError)
      .finally(() => lease.release(this.#isReusable))
  }

  async #inSnapshot(lease: Lease, step: QueryStep): Promise<StepResult> {
    const running = runStep(lease, step)
    await allOrFirstError<unknown>([this.#begun, running])
    return running
  }

  /** If the connection was lost, the statements are repeated on another one. */
  async #onConnection<T>(query: (lease: Lease) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      const lease = await this.#connect(this.#startedAt)
      let isReusable = true
      try {
        return await query(lease)
      } catch (error) {
        isReusable = !isGone(lease, error)
        if (isReusable || !mayRetry(attempt, this.#startedAt, this.#limits)) throw error
      } finally {
        lease.release(isReusable)
      }
    }
  }

  readonly #onError = (): void => {
    this.#isReusable = false
  }
}
