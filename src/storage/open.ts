import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Database, RateLimit } from './database.ts'
import { openSqlite } from './sqlite/database.ts'

interface StorageOptions {
  /** Set: PostgreSQL. Undefined: SQLite in the data folder. */
  readonly databaseUrl: string | undefined
  readonly poolSize: number
  readonly dataDir: string
  readonly rateLimit: RateLimit
  /** 'off' lets tests skip the flush to disk: SQLite then survives the end of the process, but not a power cut. */
  readonly sqliteSynchronous?: 'off' | undefined
}

export async function openDatabase(options: StorageOptions, clock: Clock, log: Log): Promise<Database> {
  const { databaseUrl, poolSize, dataDir, rateLimit, sqliteSynchronous } = options
  if (databaseUrl === undefined) return openSqlite(dataDir, rateLimit, clock, sqliteSynchronous)
  // Loads the driver only if it is used.
  const { openPostgres } = await import('./postgres/database.ts')
  return openPostgres({ url: databaseUrl, poolSize, rateLimit, log })
}
