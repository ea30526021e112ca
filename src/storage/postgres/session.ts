import type pg from 'pg'

/** Limits that the server enforces on a session. */
export interface SessionLimits {
  readonly statementMs: number
  readonly lockWaitMs: number
  readonly idleInTransactionMs: number
}

/** For everything but changes of the schema. */
export const ordinaryLimits: SessionLimits = {
  // Far above the duration of any statement.
  statementMs: 30_000,
  lockWaitMs: 10_000,
  // Transactions never wait for anything but the database. Shorter than the time after which a node counts as dead (9 s): the
  // rows that a stopped process has locked are free when other nodes take over.
  idleInTransactionMs: 8_000,
}

/** For migrations and index builds. */
export const schemaLimits: SessionLimits = {
  // An index on a billion rows takes an hour or two.
  statementMs: 12 * 60 * 60_000,
  // Statements of other nodes wait behind a table lock that is not granted yet, and behind those of tables that were changed
  // before in the same transaction. All of it together must be shorter than a request may take.
  lockWaitMs: 250,
  idleInTransactionMs: 60_000,
}

/**
 * The server closes a connection whose client has vanished after 5 + 3 × 2 s, or 10 s after unacknowledged data, and so
 * ends its transactions and locks. Without effect on a Unix socket.
 */
const keepalive = {
  tcp_keepalives_idle: '5',
  tcp_keepalives_interval: '2',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '10000',
}

export interface SessionFacts {
  /** The server process. */
  readonly pid: number
  /** Why the session cannot write; null if it can. */
  readonly readOnly: 'standby' | 'setting' | null
}

/**
 * Sets the parameters of a new session and reads its facts in one round trip. They are not startup parameters, because
 * PgBouncer refuses connections with those.
 */
export async function prepareSession(client: pg.Client, limits: SessionLimits): Promise<SessionFacts> {
  const parameters = {
    statement_timeout: String(limits.statementMs),
    lock_timeout: String(limits.lockWaitMs),
    idle_in_transaction_session_timeout: String(limits.idleInTransactionMs),
    ...keepalive,
  }
  const sets = Object.entries(parameters).map(([name, value]) => `set_config('${name}', '${value}', false)`)
  const { rows } = await client.query(`
    select pg_backend_pid() as pid, pg_is_in_recovery() as standby,
      current_setting('default_transaction_read_only') = 'on' as readonly, ${sets.join(', ')}`)
  const { pid, standby, readonly } = rows[0] as { pid: number; standby: boolean; readonly: boolean }
  return { pid, readOnly: standby ? 'standby' : readonly ? 'setting' : null }
}

export function readOnlyReason(kind: 'standby' | 'setting'): string {
  return kind === 'standby'
    ? 'it is a standby, which is read-only'
    : 'it is read-only (default_transaction_read_only is on)'
}
