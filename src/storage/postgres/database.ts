import pg from 'pg'
import type { Log } from '../../lib/log.ts'
import { Semaphore } from '../../lib/semaphore.ts'
import { type Database, type RateLimit, StorageUnusable } from '../database.ts'
import type { ChangeNotice } from '../query.ts'
import { createChangeFeed } from './change-feed.ts'
import { changeSchema } from './change-schema.ts'
import { type Connector, createConnector, endClient, messageOf } from './connector.ts'
import { parseHosts } from './hosts.ts'
import { backgroundLimits, requestLimits } from './limits.ts'
import { createLocks, firstUnderLock } from './locks.ts'
import { Pool } from './pool.ts'
import { refuseTransactionPooling } from './pooler.ts'
import { createPostgresRateLimiter } from './rate-limiter.ts'
import { createReader } from './read.ts'
import { watchReadiness } from './readiness.ts'
import { inTransaction } from './run.ts'
import { ordinaryLimits } from './session.ts'

// Counts and milliseconds fit a double for the next 285,000 years.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

const CONNECT_TIMEOUT_MS = 5_000

interface PostgresOptions {
  readonly url: string
  readonly poolSize: number
  readonly rateLimit: RateLimit
  readonly log: Log
}

export async function openPostgres({ url, poolSize, rateLimit, log }: PostgresOptions): Promise<Database> {
  const connector = await reach(url, log)
  const pool = new Pool(connector, poolSize, log, (error) => readiness.note(error))
  const { availability } = pool
  const readiness = watchReadiness(availability)
  const locks = createLocks(connector, log)
  const changeFeed = createChangeFeed(connector, pool, log)
  const readForRequest = createReader(pool, requestLimits)
  const database: Database = {
    engine: 'postgres',
    location: withoutPassword(url),
    read: createReader(pool, backgroundLimits),
    write: (work) => inTransaction(pool, work, backgroundLimits, (notices) => changeFeed.committed(notices)),
    forRequests(share = 'all') {
      const turns = new Semaphore(share === 'half' ? Math.ceil(poolSize / 2) : Number.POSITIVE_INFINITY)
      const committed = (notices: readonly ChangeNotice[]) => changeFeed.committed(notices)
      return {
        ...database,
        read: (work) => turns.run(() => readForRequest(work)),
        write: (work) => turns.run(() => inTransaction(pool, work, requestLimits, committed)),
      }
    },
    changeSchema: (purpose, change) => changeSchema({ connector, availability, log }, purpose, change),
    tryLock: (name) => locks.tryLock(name),
    firstUnderLock,
    rateLimiter: createPostgresRateLimiter(pool, rateLimit),
    watch: (by) => changeFeed.watch(by),
    eraseDeletedData: async () => undefined,
    ping: (isThorough) => readiness.check(isThorough),
    async close() {
      await changeFeed.close()
      await locks.close()
      await pool.close()
    },
  }
  return database
}

/** Opens a first connection, to find out at the start whether the database can be used. */
async function reach(url: string, log: Log): Promise<Connector> {
  try {
    const connector = createConnector(parseHosts(url), log)
    const first = await connector.connect(ordinaryLimits, CONNECT_TIMEOUT_MS)
    try {
      await refuseTransactionPooling(connector, first)
    } finally {
      await endClient(first.client)
    }
    return connector
  } catch (error) {
    if (error instanceof StorageUnusable) throw error
    throw new StorageUnusable(`DATABASE_URL: cannot connect to ${withoutPassword(url)}: ${messageOf(error)}`, {
      cause: error,
    })
  }
}

/** A password may contain `@`: everything up to the last one before the query is removed. */
export function withoutPassword(url: string): string {
  return url.replace(/:\/\/([^:@/?]*):[^?]*@/, '://$1@').replace(/([?&]password=)[^&]*/, '$1…')
}
