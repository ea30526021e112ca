import pg from 'pg'
import { type Connector, closeAfter, destroyClient, endClient } from './connector.ts'
import { isEndOfSession } from './failures.ts'
import { ordinaryLimits } from './session.ts'

/** For an answer on the open connection. If there is none, a new one is tried. */
const ANSWER_MS = 700

/** A connection that only asks whether the server answers. It is replaced when it does not. */
export function createHealthConnection(connector: Connector) {
  let client: pg.Client | undefined
  let isClosed = false

  async function askNew(text: string, timeoutMs: number): Promise<pg.QueryResult> {
    const startedAt = performance.now()
    const session = await connector.connect(ordinaryLimits, timeoutMs)
    if (isClosed) {
      destroyClient(session.client)
      throw new Error('the database is being closed')
    }
    const opened = session.client
    client = opened
    const restMs = Math.max(100, timeoutMs - (performance.now() - startedAt))
    return closeAfter(opened, restMs, () => opened.query(text))
  }

  return {
    /** `timeoutMs` is for a new connection and its answer. */
    async ask(text: string, timeoutMs: number): Promise<pg.QueryResult> {
      if (client === undefined) return askNew(text, timeoutMs)
      const open = client
      try {
        return await closeAfter(open, ANSWER_MS, () => open.query(text))
      } catch (error) {
        // Any answer but the end of the session is an answer.
        if (error instanceof pg.DatabaseError && !isEndOfSession(error)) throw error
        destroyClient(open)
        if (client === open) client = undefined
        return askNew(text, timeoutMs)
      }
    },
    async close(): Promise<void> {
      isClosed = true
      if (client !== undefined) await endClient(client)
    },
  }
}
