import type pg from 'pg'
import { StorageUnusable } from '../database.ts'
import { type Connector, endClient, type Session } from './connector.ts'
import { ordinaryLimits } from './session.ts'

const CONNECT_MS = 5_000

/**
 * Refuses a connection pooler that gives every transaction another server connection (PgBouncer with
 * `pool_mode = transaction` or `statement`): limits, prepared statements and LISTEN belong to a server connection.
 */
export async function refuseTransactionPooling(connector: Connector, first: Session): Promise<void> {
  const second = await connector.connect(ordinaryLimits, CONNECT_MS)
  try {
    if (await keepsItsServer(first, second.client)) return
    throw new StorageUnusable(
      'DATABASE_URL: the connection pooler shares server connections between clients; set pool_mode = session for this database in PgBouncer, or connect to PostgreSQL directly',
    )
  } finally {
    await endClient(second.client)
  }
}

/**
 * A transaction of the other client holds one server connection. Without sessions, the first client gets another one than
 * before now, or, by the order in which the pooler hands them out, one of the next times.
 */
async function keepsItsServer({ client, facts }: Session, other: pg.Client): Promise<boolean> {
  await other.query('begin')
  const pids = [await pidOf(client)]
  if ((await pidOf(other)) === facts.pid) return false
  await other.query('rollback')
  for (let i = 0; i < 3; i += 1) pids.push(await pidOf(client))
  return pids.every((pid) => pid === facts.pid)
}

async function pidOf(client: pg.Client): Promise<number> {
  return (await client.query('select pg_backend_pid() as pid')).rows[0].pid
}
