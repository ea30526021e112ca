import pg from 'pg'

const READ_ONLY = '25006'
const DISK_FULL = '53100'
const LOCK_NOT_AVAILABLE = '55P03'
const collisions = new Set(['40001', '40P01']) // serialization failure, deadlock
/** The server ends the session: shutdown, crash of another process, starting up, idle too long in a transaction. */
const endOfSession = new Set(['57P01', '57P02', '57P03', '57P05', '25P03'])

function codeOf(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined
}

/** The transaction was rolled back because of another one. */
export function isCollision(error: unknown): boolean {
  return collisions.has(codeOf(error) ?? '')
}

/** A lock was not granted in time. */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === LOCK_NOT_AVAILABLE
}

/** The server ended the session; the connection closes after the answer. */
export function isEndOfSession(error: unknown): boolean {
  const code = codeOf(error)
  return code !== undefined && (endOfSession.has(code) || code.startsWith('08'))
}

/** After a failover the server of a connection may have become a standby. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === READ_ONLY
}

export function isDiskFull(error: unknown): boolean {
  return codeOf(error) === DISK_FULL
}

/** The connection was lost while the transaction was committed: it may have been committed or not. */
export class OutcomeUnknown extends Error {
  override name = 'OutcomeUnknown'
}
