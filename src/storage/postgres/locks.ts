import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type pg from 'pg'
import type { Log } from '../../lib/log.ts'
import type { Lock } from '../database.ts'
import { type DbWork, firstOfBoth, q, type Statement, statement } from '../query.ts'
import { type Connector, destroyClient } from './connector.ts'
import { ordinaryLimits } from './session.ts'

const RETAKE_MS = 250
const CONNECT_MS = 2_500
const ANSWER_MS = 4_000

/**
 * Named locks across nodes: session-level advisory locks on one dedicated connection of this node. PostgreSQL releases
 * them when the connection ends, so a crashed node leaves none. If only the connection is lost, another node can take the
 * lock while this one still works; everything that must happen once is therefore also protected by a unique key.
 */
export function createLocks(connector: Connector, log: Log) {
  /** Held or requested by this node. A session can take the same advisory lock twice, so duplicates are refused here. */
  const held = new Set<string>()
  /** Granted; taken again after a reconnect. */
  const granted = new Set<string>()
  let session: Promise<pg.Client> | undefined
  let closed = false

  /** Queries on the connection run one after the other. */
  let lastQuery: Promise<unknown> = Promise.resolve()

  function query(client: pg.Client, name: 'lock' | 'unlock', lock: string): Promise<pg.QueryResult> {
    const text = name === 'lock' ? 'select pg_try_advisory_lock($1) as taken' : 'select pg_advisory_unlock($1)'
    const answer = lastQuery.then(() => {
      const timer = setTimeout(() => destroyClient(client, new Error('The database does not answer')), ANSWER_MS)
      return client.query({ name, text, values: [lockNumber(lock)] }).finally(() => clearTimeout(timer))
    })
    lastQuery = answer.catch(() => undefined)
    return answer
  }

  function connect(): Promise<pg.Client> {
    session ??= open().catch((error) => {
      session = undefined
      throw error
    })
    return session
  }

  async function open(): Promise<pg.Client> {
    const { client } = await connector.connect(ordinaryLimits, CONNECT_MS)
    let isLost = false
    const onLost = (error?: Error): void => {
      if (isLost || closed) return
      isLost = true
      log.warn({ err: error }, 'lock connection lost; reconnecting')
      session = undefined
      void retake(new Set(granted))
    }
    client.on('error', onLost)
    client.on('end', () => onLost())
    return client
  }

  /** Retries until all missing locks are held again. Until then other nodes consider this one dead. */
  async function retake(missing: Set<string>): Promise<void> {
    while (missing.size > 0 && !closed) {
      await takeAll(missing).catch((error) => log.debug({ err: error }, 'lost locks cannot be taken again yet'))
      if (missing.size > 0) await new Promise((resolve) => setTimeout(resolve, RETAKE_MS).unref())
    }
  }

  async function takeAll(missing: Set<string>): Promise<void> {
    const client = await connect()
    for (const name of missing) {
      // It may have been released in the meantime.
      const isReleased = !granted.has(name)
      if (isReleased || (await isTaken(client, name))) missing.delete(name)
    }
  }

  async function isTaken(client: pg.Client, name: string): Promise<boolean> {
    return (await query(client, 'lock', name)).rows[0]?.taken === true
  }

  async function release(name: string): Promise<void> {
    granted.delete(name)
    try {
      if (session !== undefined) await query(await session, 'unlock', name)
    } catch (error) {
      log.warn({ err: error }, 'cannot release a lock; it ended with its connection')
    } finally {
      held.delete(name)
    }
  }

  return {
    async tryLock(name: string): Promise<Lock | undefined> {
      if (held.has(name)) return undefined
      held.add(name)
      try {
        if (await isTaken(await connect(), name)) {
          granted.add(name)
          return { release: () => release(name) }
        }
      } catch (error) {
        held.delete(name)
        throw error
      }
      held.delete(name)
      return undefined
    },
    async close() {
      closed = true
      const client = await session?.catch(() => undefined)
      await client?.end()
    },
  }
}

const tryTransactionLock = statement(({ number }: { number: string }) =>
  q.selectNoFrom(sql<boolean>`pg_try_advisory_xact_lock(${number})`.as('taken')),
)

/** See Database. Both are separate statements: the second one sees what a previous holder of the lock has committed. */
export function* firstUnderLock<V extends object, Row>(
  name: string,
  of: Statement<V, Row>,
  values: NoInfer<V>,
): DbWork<{ isLocked: boolean; row: Row | undefined }> {
  const [lock, row] = yield* firstOfBoth([tryTransactionLock, { number: lockNumber(name) }], [of, values])
  return { isLocked: lock?.taken === true, row }
}

/** Advisory locks are identified by 64-bit integers. */
function lockNumber(name: string): string {
  return createHash('sha256').update(name).digest().readBigInt64BE().toString()
}
