import type { Socket } from 'node:net'
import type pg from 'pg'
import type { Heartbeat, Renewal } from '../database.ts'
import type { Member } from '../nodes/node.ts'

/** For connecting, and for each statement: short, so that a node can try several times before it counts as dead. */
const TIMEOUT_MS = 2_000

const NOW = "(extract(epoch from clock_timestamp()) * 1000)::bigint"

const JOIN = `insert into nodes (name, started_at, renewed_at) values ($1, ${NOW}, ${NOW})`

/** The commit does not wait for the disk or a standby: a heartbeat that is lost is renewed two seconds later. */
const RENEW = `
  with renewed as (
    update nodes set renewed_at = ${NOW}, monitors = $2
    from (select set_config('synchronous_commit', 'off', true)) as options
    where name = $1
    returning name
  )
  select
    exists (select from renewed) as "isMember",
    coalesce(
      (select json_agg(json_build_object(
        'name', name, 'startedAt', started_at, 'renewedAt', renewed_at, 'monitors', monitors
      ) order by name) from nodes),
      '[]'
    ) as members`

/**
 * Renews heartbeats on a connection of its own, so that a node whose pool is busy does not look dead. After an error or a
 * timeout the connection is dropped, and the next call opens another.
 */
export function createHeartbeat(connect: (timeoutMs: number) => Promise<pg.Client>): Heartbeat & { close(): void } {
  let connection: pg.Client | undefined

  async function connected(): Promise<pg.Client> {
    if (connection !== undefined) return connection
    const client = await connect(TIMEOUT_MS)
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
      close()
      throw error
    }
  }

  /** Without a word to the server, which may not answer. */
  function close(): void {
    const { stream } = (connection as unknown as { connection: { stream: Socket } } | undefined)?.connection ?? {}
    connection = undefined
    stream?.destroy()
  }

  return {
    async join(node) {
      await query(JOIN, [node])
    },
    async renew(node, monitors): Promise<Renewal> {
      const { rows } = await query(RENEW, [node, monitors])
      const { isMember, members } = rows[0] as { isMember: boolean; members: readonly Member[] }
      return { isMember, members }
    },
    close,
  }
}
