import type pg from 'pg'
import { corked } from './corked.ts'
import type { Executor } from './run-step.ts'

/** How many statements wait for each other at most. Further ones of the same turn take another connection. */
const MAX_STATEMENTS = 16

interface Waiting {
  readonly query: pg.QueryConfig
  readonly resolve: (result: Promise<pg.QueryResult>) => void
  readonly reject: (error: unknown) => void
}

/**
 * Runs short statements outside transactions. Those of one turn of the event loop are sent over one connection in one
 * packet, without waiting for each other's results: that halves what a statement costs on both sides. Statements wait for
 * those before them in the packet, so long ones do not belong here.
 */
export function createPipeline(pool: pg.Pool): Executor {
  const queue: Waiting[] = []
  let isScheduled = false

  function flush(): void {
    isScheduled = false
    for (let taken = 0; taken < queue.length; taken += MAX_STATEMENTS) void sendSome()
  }

  /** The statements are taken when there is a connection: while all are busy, more of them share the next one. */
  async function sendSome(): Promise<void> {
    let client: pg.PoolClient
    try {
      client = await pool.connect()
    } catch (error) {
      for (const { reject } of queue.splice(0, MAX_STATEMENTS)) reject(error)
      return
    }
    let broken: Error | undefined
    const onError = (error: Error): void => {
      broken = error
    }
    client.on('error', onError)
    corked(client)
    const results = queue.splice(0, MAX_STATEMENTS).map(({ query, resolve }) => {
      const result = client.query(query)
      resolve(result)
      return result
    })
    await Promise.allSettled(results)
    client.off('error', onError)
    client.release(broken)
  }

  return {
    query(query) {
      if (!isScheduled) {
        isScheduled = true
        setImmediate(flush)
      }
      return new Promise((resolve, reject) => queue.push({ query, resolve, reject }))
    },
  }
}
