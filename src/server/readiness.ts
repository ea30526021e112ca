import type { Database } from '../storage/database.ts'

/** Load balancers commonly wait 2 s. */
const DEADLINE_MS = 1_600

/** Rejects with the reason if this node should get no requests: it is stopping, or the database cannot be used. */
export function readiness(database: Database, stopping: AbortSignal): () => Promise<void> {
  return async () => {
    if (stopping.aborted) throw new Error('The server is stopping')
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new Error(`The database did not answer within ${DEADLINE_MS / 1_000} s`)),
        DEADLINE_MS,
      )
    })
    await Promise.race([database.ping(), late]).finally(() => clearTimeout(timer))
  }
}
