import type { DbWork, QueryStep } from '../query.ts'
import type { Lease } from './lease.ts'
import type { WorkLimits } from './limits.ts'
import { createPipeline } from './pipeline.ts'
import type { Pool } from './pool.ts'
import { runSteps, type Session, withConnection } from './run.ts'
import { allOrFirstError, runStep } from './run-step.ts'

/** Returns a function that runs work that changes nothing. */
export function createReader(pool: Pool, limits: WorkLimits): <T>(work: DbWork<T>, orgId?: string) => Promise<T> {
  const pipeline = createPipeline(pool, limits)
  return async (work, orgId) => {
    const startedAt = performance.now()
    const connect = () => pool.connect(limits, startedAt, orgId)
    let snapshot = undefined as Lease | undefined
    const query = <T>(run: (lease: Lease) => Promise<T>): Promise<T> =>
      snapshot === undefined ? withConnection(connect, limits, run) : run(snapshot)
    const session: Session = {
      run: (step) =>
        isShort(step) && snapshot === undefined ? runStep(pipeline, step) : query((lease) => runStep(lease, step)),
      runTogether: (steps) => query((lease) => allOrFirstError(steps.map((step) => runStep(lease, step)))),
      async startSnapshot() {
        if (snapshot !== undefined) return
        snapshot = await connect()
        await snapshot.query('begin isolation level repeatable read, read only')
      },
    }
    try {
      return await runSteps(session, work)
    } finally {
      if (snapshot !== undefined) endSnapshot(snapshot)
    }
  }
}

/** Reads that many requests repeat are short. Others get a connection of their own, so that nothing waits for them. */
function isShort(step: QueryStep): boolean {
  return 'statement' in step && step.statement.cacheable
}

/** The result of the read does not wait for the end of its transaction. */
function endSnapshot(lease: Lease): void {
  lease.query('commit').then(
    () => lease.release(),
    () => lease.release(false),
  )
}
