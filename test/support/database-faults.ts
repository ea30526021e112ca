import pg from 'pg'
import type { Database } from '../../src/storage/database.ts'
import { urlVariable } from './postgres.ts'

/** Lasts until it is released or disposed of. */
export interface Fault extends AsyncDisposable {
  release(): Promise<void>
}

export function faultUntil(remove: () => Promise<unknown>): Fault {
  let removed: Promise<unknown> | undefined
  const release = async (): Promise<void> => {
    removed ??= remove()
    await removed
  }
  return { release, [Symbol.asyncDispose]: release }
}

/** Ends every connection to a PostgreSQL database and refuses new ones, as during a restart. */
export async function cutConnections(url: string): Promise<Fault> {
  const name = new URL(url).pathname.slice(1)
  const admin = new pg.Client({ connectionString: process.env[urlVariable] as string })
  await admin.connect()
  const allow = (allowed: boolean) => admin.query(`alter database ${name} with allow_connections ${allowed}`)
  await allow(false)
  await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
  return faultUntil(async () => {
    await allow(true)
    await admin.end()
  })
}

/** Makes the database unavailable for reading. The file of SQLite cannot be taken away, so its reads throw instead. */
export async function failReads(database: Database): Promise<AsyncDisposable> {
  if (database.engine === 'postgres') return cutConnections(database.location)
  const { read } = database
  const fail = (): never => {
    throw new Error('unable to open database file')
  }
  Object.assign(database, { read: fail })
  return faultUntil(async () => Object.assign(database, { read }))
}
