import type { DbWork, QueryStep, StepResult } from '../query.ts'
import type { Lease } from './lease.ts'
import type { WorkLimits } from './limits.ts'
import { createPipeline } from './pipeline.ts'
import type { Pool } from './pool.ts'
import { runSteps, type Session, withConnection } from './run.ts'
import { allOrFirstError, type Executor, runStep } from './run-step.ts'

/** Returns a function that runs work that changes nothing. */
export function createReader(pool: Pool, limits: WorkLimits): <T>(work: DbWork<T>, orgId?: string) => Promise<T> {
  const pipeline = createPipeline(pool, limits)
  return async (work, orgId) => {
    const startedAt = performance.now()
    const session = new ReadSession(() => pool.connect(limits, startedAt, orgId), limits, pipeline)
    try {
      return await runSteps(session, work)
    } finally {
      session.end()
    }
  }
}

/** Reads that many requests repeat are short. Others get a connection of their own, so that nothing waits for them. */
function isShort(step: QueryStep): boolean {
  return 'statement' in step && step.statement.cacheable
}

class ReadSession implements Session {
  readonly #connect: () => Promise<Lease>
  readonly #limits: WorkLimits
  readonly #pipeline: Executor
  #snapshot: Lease | undefined
  #isReusable = true

  constructor(connect: () => Promise<Lease>, limits: WorkLimits, pipeline: Executor) {
    this.#connect = connect
    this.#limits = limits
    this.#pipeline = pipeline
  }

  run(step: QueryStep): Promise<StepResult> {
    if (isShort(step) && this.#snapshot === undefined) return runStep(this.#pipeline, step)
    return this.#query((lease) => runStep(lease, step))
  }

  runTogether(steps: readonly QueryStep[]): Promise<readonly StepResult[]> {
    return this.#query((lease) => allOrFirstError(steps.map((step) => runStep(lease, step))))
  }

  async startSnapshot(): Promise<void> {
    if (this.#snapshot !== undefined) return
    this.#snapshot = await this.#connect()
    await this.#query((lease) => lease.query('begin isolation level repeatable read, read only'))
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

  #query<T>(query: (lease: Lease) => Promise<T>): Promise<T> {
    return this.#snapshot === undefined ? withConnection(this.#connect, this.#limits, query) : query(this.#snapshot)
  }

  readonly #onError = (): void => {
    this.#isReusable = false
  }
}
