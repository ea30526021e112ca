import { type BigIntStats, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { execute } from '../query.ts'
import type { GroupWriter } from './writer.ts'

/** Below this, the next larger write fails. */
const MIN_FREE_BYTES = 512 * 1024
const PROBE_MS = 5_000
/** Another process may hold the write lock for longer; that is no fault. */
const PROBE_WAIT_MS = 1_000

/**
 * Checks whether the database file can be read and written. The open connection alone would not notice: it answers from its
 * cache, and keeps a deleted file open.
 */
export function createFileCheck(file: string, writer: GroupWriter) {
  const opened = identityOf(statSync(file, { bigint: true }))
  let probedAt = Number.NEGATIVE_INFINITY
  let fault: string | undefined

  /** A tiny write: it sets a number in the header to what it is. */
  async function probe(): Promise<void> {
    probedAt = performance.now()
    const written = writer
      .write(() => execute(sql.raw('pragma user_version = 0')))
      .then(
        () => undefined,
        (error: Error) => `cannot write to ${file}: ${error.message}`,
      )
    const late = Symbol()
    const result = await Promise.race([written, delay(PROBE_WAIT_MS, late, { ref: false })])
    if (result !== late) fault = result
  }

  return async (isThorough: boolean): Promise<void> => {
    const now = statSync(file, { bigint: true, throwIfNoEntry: false })
    if (now === undefined || identityOf(now) !== opened)
      throw new Error(`The database file ${file} was deleted or replaced; restore it and restart the server`)
    readThrough(file)
    const { bavail, bsize } = await statfs(file)
    if (bavail * bsize < MIN_FREE_BYTES)
      throw new Error(
        `The disk of the database is full: ${Math.floor((bavail * bsize) / 1024)} KB are free for ${file}`,
      )
    if (isThorough || fault !== undefined || performance.now() - probedAt >= PROBE_MS) await probe()
    if (fault !== undefined) throw new Error(`The database is not available: ${fault}`)
  }
}

function identityOf({ dev, ino }: BigIntStats): string {
  return `${dev} ${ino}`
}

/** A new connection has no cache. Opening the file in another way would end SQLite's locks on it. */
function readThrough(file: string): void {
  using connection = new DatabaseSync(file, { readOnly: true })
  try {
    connection.prepare('select count(*) from sqlite_master').get()
  } catch (error) {
    throw new Error(`The database is not available: cannot read ${file}: ${(error as Error).message}`, { cause: error })
  }
}
