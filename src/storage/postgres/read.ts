import type pg from 'pg'
import type { DbWork, QueryStep, StepResult } from '../query.ts'
import { createPipeline } from './pipeline.ts'
import { runWork, type Session } from './run.ts'
import { allOrFirstError, type Executor, runStep } from './run-step.ts'

/** Returns a function that runs work that changes nothing. */
export function createReader(pool: pg.Pool): <T>(work: DbWork<T>) => Promise<T> {
  const pipeline = createPipeline(pool)
  return async (work) => {
    const session = new ReadSession(pool, pipeline)
    try {
      return await runWork(session, work)
    } finally {
      session.end()
    }
  }
}

class ReadSession implements Session {
  readonly #pool: pg.Pool
  readonly #pipeline: Executor
  #snapshot: pg.PoolClient | undefined
  #begun: Promise<unknown> = Promise.resolve()
  #broken: Error | undefined

  constructor(pool: pg.Pool, pipeline: Executor) {
    this.#pool = pool
    this.#pipeline = pipeline
  }

  async run(step: QueryStep): Promise<StepResult> {
    if (this.#snapshot !== undefined) {
      const running = runStep(this.#snapshot, step)
      await allOrFirstError<unknown>([this.#begun, running])
      return running
    }
    // Reads that many requests repeat are short. Others get a connection of their own, so that nothing waits for them.
    return runStep('statement' in step && step.statement.cacheable ? this.#pipeline : this.#pool, step)
  }

  async startSnapshot(): Promise<void> {
    if (this.#snapshot !== undefined) return
    const client = await this.#pool.connect()
    this.#snapshot = client
    client.on('error', this.#onError)
    // Not awaited: it travels with the first statement.
    this.#begun = client.query('begin isolation level repeatable read, read only')
    this.#begun.catch(this.#onError)
  }

  /** The result of the read does not wait for the end of its transaction. */
  end(): void {
    const client = this.#snapshot
    if (client === undefined) return
    client
      .query('commit')
      .catch(this.#onError)
      .finally(() => {
        client.off('error', this.#onError)
        client.release(this.#broken)
      })
  }

  readonly #onError = (error: Error): void => {
    this.#broken = error
  }
}
