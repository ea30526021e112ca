import type pg from 'pg'
import type { Lease } from './lease.ts'
import type { WorkLimits } from './limits.ts'
import type { Pool } from './pool.ts'
import { mayRetry } from './run.ts'
import { isGone } from './transaction.ts'

/** How many statements wait for each other at most. Further ones of the same turn take another connection. */
const MAX_STATEMENTS = 16

interface Waiting {
  readonly query: pg.QueryConfig
  readonly resolve: (result: pg.QueryResult) => void
  readonly reject: (error: unknown) => void
  readonly onTaken: () => void
  readonly startedAt: number
  attempt: number
}

export interface Pipeline {
  /** `onTaken` is called just before the statement is sent. */
  query(query: pg.QueryConfig, onTaken?: () => void): Promise<pg.QueryResult>
}

/**
 * Runs short statements outside transactions. Those of one turn of the event loop are sent over one connection in one
 * packet, without waiting for each other's results: that halves what a statement costs on both sides. Statements wait for
 * those before them in the packet, so long ones do not belong here. If the connection is lost, a statement is repeated on
 * another one: it may have been carried out before.
 */
export function createPipeline(pool: Pool, limits: WorkLimits): Pipeline {
  const queue: Waiting[] = []
  let isScheduled = false

  function flush(): void {
    isScheduled = false
    for (let taken = 0; taken < queue.length; taken += MAX_STATEMENTS) void send(take)
  }

  function take(): Waiting[] {
    const taken = queue.splice(0, MAX_STATEMENTS)
    for (const { onTaken } of taken) onTaken()
    return taken
  }

  /** The statements are taken when there is a connection: while all are busy, more of them share the next one. */
  async function send(takeSome: () => readonly Waiting[], startedAt = performance.now()): Promise<void> {
    let lease: Lease
    try {
      lease = await pool.connect(limits, startedAt)
    } catch (error) {
      for (const { reject } of takeSome()) reject(error)
      return
    }
    let isReusable = true
    lease.cork()
    const results = takeSome().map((waiting) => {
      const result = lease.query(waiting.query)
      result.then(waiting.resolve, (error) => {
        if (isGone(lease, error)) isReusable = false
        if (isReusable || !mayRetry(waiting.attempt, waiting.startedAt, limits)) waiting.reject(error)
        else repeat(waiting)
      })
      return result
    })
    await Promise.allSettled(results)
    lease.release(isReusable)
  }

  function repeat(waiting: Waiting): void {
    waiting.attempt += 1
    void send(() => [waiting], waiting.startedAt)
  }

  return {
    query(query, onTaken = () => undefined) {
      if (!isScheduled) {
        isScheduled = true
        setImmediate(flush)
      }
      const startedAt = performance.now()
      return new Promise((resolve, reject) => queue.push({ query, resolve, reject, onTaken, startedAt, attempt: 1 }))
    },
  }
}
