import pg from 'pg'
import { type Connector, destroyClient, endClient, secondsOf } from './connector.ts'
import { isEndOfSession } from './failures.ts'
import { ordinaryLimits } from './session.ts'

/** For an answer on the open connection, and for one on a new connection if there is none. Together below 2 s, for /readyz. */
const ANSWER_MS = 700
const NEW_CONNECTION_MS = 1_000

/** A connection that only asks whether the server answers. It is replaced when it does not. */
export function createHealthConnection(connector: Connector) {
  let client: pg.Client | undefined
  let isClosed = false

  async function askNew(text: string): Promise<pg.QueryResult> {
    const startedAt = performance.now()
    const session = await connector.connect(ordinaryLimits, NEW_CONNECTION_MS)
    if (isClosed) {
      destroyClient(session.client)
      throw new Error('the database is being closed')
    }
    client = session.client
    return askOn(client, text, Math.max(100, NEW_CONNECTION_MS - (performance.now() - startedAt)))
  }

  return {
    async ask(text: string): Promise<pg.QueryResult> {
      if (client === undefined) return askNew(text)
      const open = client
      try {
        return await askOn(open, text, ANSWER_MS)
      } catch (error) {
        // Any answer but the end of the session is an answer.
        if (error instanceof pg.DatabaseError && !isEndOfSession(error)) throw error
        destroyClient(open)
        if (client === open) client = undefined
        return askNew(text)
      }
    },
    async close(): Promise<void> {
      isClosed = true
      if (client !== undefined) await endClient(client)
    },
  }
}

async function askOn(client: pg.Client, text: string, timeoutMs: number): Promise<pg.QueryResult> {
  const late = new Error(`no answer within ${secondsOf(timeoutMs)} s`)
  const timer = setTimeout(() => destroyClient(client, late), timeoutMs)
  try {
    return await client.query(text)
  } finally {
    clearTimeout(timer)
  }
}
