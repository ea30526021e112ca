import type pg from 'pg'
import type { NodeRegistry, Renewal } from '../database.ts'
import { type Connector, destroyClient } from './connector.ts'
import { DATABASE_NOW, type DatabaseClock } from './database-clock.ts'
import type { SessionLimits } from './session.ts'

/** For connecting, and for each statement: short, so that a node can try several times before it counts as dead. */
const TIMEOUT_MS = 2_000
const limits: SessionLimits = { statementMs: TIMEOUT_MS, lockWaitMs: TIMEOUT_MS, idleInTransactionMs: TIMEOUT_MS }

const NOW = `${DATABASE_NOW}::bigint`

const JOIN = `insert into nodes (name, started_at, renewed_at, process, monitors) values ($1, ${NOW}, ${NOW}, $2, 0)`

/** The commit does not wait for the disk or a standby: a renewal that is lost is repeated two seconds later. */
const RENEW = `
  with renewed as (
    update nodes set renewed_at = ${NOW}, monitors = $2
    from (select set_config('synchronous_commit', 'off', true)) as options
    where name = $1
    returning name
  )
  select
    exists (select from renewed) as "isMember",
    ${DATABASE_NOW} as now,
    coalesce(
      (select json_agg(json_build_object(
        'name', name, 'renewedAt', renewed_at, 'process', process, 'monitors', monitors
      ) order by name) from nodes),
      '[]'
    ) as members`

/**
 * Renews the rows of nodes on a connection of its own, so that a node whose pool is busy does not look dead. After an error or a
 * timeout the connection is dropped, and the next call opens another.
 */
export function createNodeRegistry(connector: Connector, clock: DatabaseClock): NodeRegistry & { close(): void } {
  let connection: pg.Client | undefined
  let isClosed = false

  async function connected(): Promise<pg.Client> {
    if (connection !== undefined) return connection
    if (isClosed) throw new Error('The database is closed')
    const { client } = await connector.connect(limits, TIMEOUT_MS)
    const forget = (): void => {
      if (connection === client) connection = undefined
    }
    client.on('error', forget)
    client.on('end', forget)
    connection = client
    return client
  }

  async function query(text: string, values: unknown[]): Promise<pg.QueryResult> {
    const client = await connected()
    try {
      const timed: pg.QueryConfig & { query_timeout: number } = { text, values, query_timeout: TIMEOUT_MS }
      return await client.query(timed)
    } catch (error) {
      drop()
      throw error
    }
  }

  /** Without a word to the server, which may not answer. */
  function drop(): void {
    if (connection !== undefined) destroyClient(connection)
    connection = undefined
  }

  return {
    async join(node, process) {
      await query(JOIN, [node, process])
    },
    async renew(node, monitors): Promise<Renewal> {
      await connected()
      const sentAt = performance.now()
      const { rows } = await query(RENEW, [node, monitors])
      const { isMember, members, now } = rows[0] as Renewal & { now: number }
      clock.add({ remoteMs: now, sentAt, receivedAt: performance.now() })
      return { isMember, members }
    },
    close() {
      isClosed = true
      drop()
    },
  }
}
