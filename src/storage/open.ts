import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Database, RateLimit } from './database.ts'
import { openSqlite } from './sqlite/database.ts'

export interface StorageOptions {
  /** Present: PostgreSQL. Absent: SQLite in the data folder. */
  readonly databaseUrl: string | undefined
  readonly poolSize: number
  readonly dataDir: string
  readonly rule: RateLimit
  /** 'off' lets tests go without flushing to disk; SQLite then survives the end of the process, not a power cut. */
  readonly sqliteSynchronous?: 'full' | 'off' | undefined
}

export async function openDatabase(options: StorageOptions, clock: Clock, log: Log): Promise<Database> {
  const { databaseUrl, poolSize, dataDir, rule, sqliteSynchronous } = options
  if (databaseUrl === undefined) return openSqlite(dataDir, rule, clock, sqliteSynchronous)
  // Its driver is loaded where it is used.
  const { openPostgres } = await import('./postgres/database.ts')
  return openPostgres({ url: databaseUrl, poolSize, rule, log })
}
