import pg from 'pg'
import type { Log } from '../../lib/log.ts'
import { Semaphore } from '../../lib/semaphore.ts'
import { type Database, type RateLimit, StorageUnusable } from '../database.ts'
import type { ChangeNotice } from '../query.ts'
import { createChangeFeed } from './change-feed.ts'
import { changeSchema } from './change-schema.ts'
import { type Connector, createConnector, endClient, messageOf } from './connector.ts'
import { DATABASE_NOW, DatabaseClock } from './database-clock.ts'
import { locationOf, parseHosts } from './hosts.ts'
import { backgroundLimits, bulkLimits, requestLimits, type WorkLimits } from './limits.ts'
import { createLocks, firstUnderLock } from './locks.ts'
import { createNodeRegistry } from './node-registry.ts'
import { Pool } from './pool.ts'
import { refuseTransactionPooling } from './pooler.ts'
import { createPostgresRateLimiter } from './rate-limiter.ts'
import { createReader } from './read.ts'
import { inTransaction } from './run.ts'
import { ordinaryLimits } from './session.ts'

// Counts and milliseconds fit a double for the next 285,000 years.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

const CONNECT_TIMEOUT_MS = 5_000
/** Requests that share half of the connections. */
const MAX_WAITING_REQUESTS = 2_000

interface PostgresOptions {
  readonly url: string
  readonly poolSize: number
  readonly rateLimit: RateLimit
  readonly log: Log
}

export async function openPostgres({ url, poolSize, rateLimit, log }: PostgresOptions): Promise<Database> {
  const clock = new DatabaseClock(log)
  const connector = await reach(url, log, clock)
  const pool = new Pool(connector, poolSize, log)
  const { availability } = pool
  const locks = createLocks(pool, log)
  const nodeRegistry = createNodeRegistry(connector, clock)
  const changeFeed = createChangeFeed(connector, pool, log)
  const readForRequest = createReader(pool, requestLimits)
  const committed = (notices: readonly ChangeNotice[]) => changeFeed.committed(notices)
  const writer =
    (limits: WorkLimits, orgId?: string): Database['write'] =>
    (work, mode) =>
      inTransaction(pool, work, mode === 'bulk' ? bulkLimits : limits, committed, orgId)
  const database: Database = {
    engine: 'postgres',
    location: locationOf(url),
    read: createReader(pool, backgroundLimits),
    write: writer(backgroundLimits),
    forRequests(share = 'all') {
      const all: Database = { ...database, read: readForRequest, write: writer(requestLimits) }
      if (share === 'all') return all
      const turns = new Semaphore(Math.ceil(poolSize / 2), MAX_WAITING_REQUESTS)
      return {
        ...all,
        read: (work) => turns.run(() => all.read(work)),
        write: (work) => turns.run(() => all.write(work)),
      }
    },
    forOrganization: (orgId) => ({
      ...database,
      read: (work) => readForRequest(work, orgId),
      write: writer(requestLimits, orgId),
    }),
    changeSchema: (purpose, change) => changeSchema({ connector, availability, log }, purpose, change),
    tryLock: (name) => locks.tryLock(name),
    lockAs: (node) => locks.lockAs(node),
    nodeRegistry,
    clock,
    firstUnderLock,
    rateLimiter: createPostgresRateLimiter(pool, rateLimit),
    watch: (by) => changeFeed.watch(by),
    ping: (isThorough) => availability.check(isThorough),
    async close() {
      await changeFeed.close()
      locks.close()
      nodeRegistry.close()
      await pool.close()
    },
  }
  return database
}

/** Opens a first connection, to find out at the start whether the database can be used. */
async function reach(url: string, log: Log, clock: DatabaseClock): Promise<Connector> {
  try {
    const connector = createConnector(parseHosts(url), log)
    const first = await connector.connect(ordinaryLimits, CONNECT_TIMEOUT_MS)
    try {
      await refuseTransactionPooling(connector, first)
      await clock.measure(async () => (await first.client.query(`select ${DATABASE_NOW} as now`)).rows[0].now)
    } finally {
      await endClient(first.client)
    }
    return connector
  } catch (error) {
    if (error instanceof StorageUnusable) throw error
    throw new StorageUnusable(`DATABASE_URL: cannot connect to ${locationOf(url)}: ${messageOf(error)}`, {
      cause: error,
    })
  }
}
