import type pg from 'pg'
import type { WorkLimits } from './limits.ts'
import type { Pool } from './pool.ts'
import { withConnection } from './run.ts'
import type { Executor } from './run-step.ts'
import { isGone } from './transaction.ts'

/** How many statements wait for each other at most. Further ones of the same turn take another connection. */
const MAX_STATEMENTS = 16

interface Waiting {
  readonly query: pg.QueryConfig
  readonly resolve: (result: pg.QueryResult) => void
  readonly reject: (error: unknown) => void
}

/**
 * Runs short statements outside transactions. Those of one turn of the event loop are sent over one connection in one packet:
 * that takes 40 % off the CPU time of `GET /monitors/{id}`. Statements wait for those before them in the packet, so long ones do
 * not belong here. If the connection is lost, they are repeated on another one, although they may have been carried out.
 */
export function createPipeline(pool: Pool, limits: WorkLimits): Executor {
  const waiting: Waiting[] = []

  function flush(): void {
    while (waiting.length > 0) void send(waiting.splice(0, MAX_STATEMENTS))
  }

  async function send(statements: readonly Waiting[]): Promise<void> {
    const connect = (startedAt: number) => pool.connect(limits, startedAt)
    try {
      await withConnection(connect, limits, async (lease) => {
        lease.cork()
        const results = statements.map(({ query }) => lease.query(query))
        for (const result of await Promise.allSettled(results)) {
          if (result.status === 'rejected' && isGone(lease, result.reason)) throw result.reason
        }
        results.forEach((result, i) => {
          result.then(statements[i]?.resolve, statements[i]?.reject)
        })
      })
    } catch (error) {
      for (const { reject } of statements) reject(error)
    }
  }

  return {
    query(query) {
      if (waiting.length === 0) setImmediate(flush)
      return new Promise((resolve, reject) => waiting.push({ query, resolve, reject }))
    },
  }
}
