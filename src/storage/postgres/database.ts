import pg from 'pg'
import type { Log } from '../../lib/log.ts'
import { type Database, type RateLimit, StorageUnusable } from '../database.ts'
import { createChangeFeed } from './change-feed.ts'
import { createLocks, firstUnderLock } from './locks.ts'
import { createPostgresRateLimiter } from './rate-limiter.ts'
import { createReader } from './read.ts'
import { inTransaction } from './run.ts'

// Counts and milliseconds fit a double for the next 285,000 years.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

const CONNECT_TIMEOUT_MS = 5_000
/** Far above the duration of any statement; reached only by one that waits for a lock. */
const STATEMENT_TIMEOUT_MS = 30_000

interface PostgresOptions {
  readonly url: string
  readonly poolSize: number
  readonly rateLimit: RateLimit
  readonly log: Log
}

export async function openPostgres({ url, poolSize, rateLimit, log }: PostgresOptions): Promise<Database> {
  const settings: pg.ClientConfig = {
    connectionString: url,
    application_name: 'pharos',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    keepAlive: true,
    // Sends statements without waiting for the previous result: see transaction-session.ts and pipeline.ts.
    pipeline: true,
  }
  const pool = new pg.Pool({ ...settings, max: poolSize })
  pool.on('error', (error) => log.warn({ err: error }, 'idle PostgreSQL connection lost'))
  await reach(pool, url)
  const locks = createLocks(settings, log)
  const changeFeed = createChangeFeed(settings, pool, log)
  return {
    engine: 'postgres',
    location: withoutPassword(url),
    read: createReader(pool),
    write: (work) => inTransaction(pool, work, (notices) => changeFeed.committed(notices)),
    tryLock: (name) => locks.tryLock(name),
    firstUnderLock,
    rateLimiter: createPostgresRateLimiter(pool, rateLimit),
    watch: (by) => changeFeed.watch(by),
    eraseDeletedData: async () => undefined,
    async ping() {
      await pool.query('select 1')
    },
    async close() {
      await changeFeed.close()
      await locks.close()
      await pool.end()
    },
  }
}

async function reach(pool: pg.Pool, url: string): Promise<void> {
  try {
    await pool.query('select 1')
  } catch (error) {
    await pool.end()
    throw new StorageUnusable(`DATABASE_URL: cannot connect to ${withoutPassword(url)}: ${reasonOf(error)}`, {
      cause: error,
    })
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return reasonOf(error.errors[0])
  return error instanceof Error ? error.message : String(error)
}

/** A password may contain `@`: everything up to the last one before the query is removed. */
export function withoutPassword(url: string): string {
  return url.replace(/:\/\/([^:@/?]*):[^?]*@/, '://$1@').replace(/([?&]password=)[^&]*/, '$1…')
}
