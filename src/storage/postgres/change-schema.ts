import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import type { Log } from '../../lib/log.ts'
import { type IndexDefinition, type SchemaSession, StorageUnusable } from '../database.ts'
import type { Availability } from './availability.ts'
import { type Connector, destroyClient, endClient } from './connector.ts'
import { isCollision, isLockTimeout } from './failures.ts'
import { runWork } from './run.ts'
import { schemaLimits } from './session.ts'

const CONNECT_MS = 10_000
const POLL_MS = 250
const REPORT_MS = 10_000
/** Work that waited for a table lock gets this long before the next attempt to take it. */
const LOCK_PAUSE_MS = 2_000
const LOCK_GIVE_UP_MS = 10 * 60_000
/** A server that does not answer for so long will not finish the change. */
const GIVE_UP_MS = 60_000

/**
 * Changes the schema on a connection of its own, with longer limits, under a lock that ends with the connection. Nodes that
 * wait for the lock ask for it again and again: a session that waits inside a statement would stop an index build, which
 * waits for all older statements.
 */
export async function changeSchema<T>(
  { connector, availability, log }: { connector: Connector; availability: Availability; log: Log },
  purpose: string,
  change: (session: SchemaSession) => Promise<T>,
): Promise<T> {
  const { client } = await connector.connect(schemaLimits, CONNECT_MS)
  const watch = watchProgress(client, availability, log, purpose)
  try {
    await takeLock(client, purpose, log)
    return await change(sessionOn(client, log))
  } finally {
    watch.stop()
    await endClient(client)
  }
}

/** Logs that a long change is still running, and ends it if the server stops to answer. */
function watchProgress(client: pg.Client, availability: Availability, log: Log, purpose: string) {
  const startedAt = performance.now()
  let lastAnswer = startedAt
  const timer = setInterval(async () => {
    const isAnswering = await availability.check().then(
      () => true,
      () => false,
    )
    const now = performance.now()
    if (isAnswering) lastAnswer = now
    else if (now - lastAnswer > GIVE_UP_MS) destroyClient(client, new Error('The database does not answer'))
    log.info(`"${purpose}" is still running after ${Math.round((now - startedAt) / 1000)} s`)
  }, REPORT_MS)
  return { stop: () => clearInterval(timer) }
}

async function takeLock(client: pg.Client, purpose: string, log: Log): Promise<void> {
  const startedAt = performance.now()
  let reportedAt = Number.NEGATIVE_INFINITY
  for (;;) {
    // The same number as that of `lockForTransaction`.
    const { rows } = await client.query('select pg_try_advisory_lock(hashtextextended($1, 0)) as taken', [
      `pharos ${purpose}`,
    ])
    if (rows[0].taken === true) return
    const waitedMs = performance.now() - startedAt
    if (waitedMs > schemaLimits.statementMs)
      throw new StorageUnusable(`Another node has not finished "${purpose}"; see its log, or stop it`)
    if (waitedMs - reportedAt >= REPORT_MS) {
      reportedAt = waitedMs
      log.info(`waiting for another node to finish "${purpose}" (${Math.round(waitedMs / 1000)} s)`)
    }
    await delay(POLL_MS)
  }
}

function sessionOn(client: pg.Client, log: Log): SchemaSession {
  return {
    async transaction(work) {
      const giveUpAt = performance.now() + LOCK_GIVE_UP_MS
      for (;;) {
        await client.query('begin')
        try {
          const value = await runWork(client, work())
          await client.query('commit')
          return value
        } catch (error) {
          await client.query('rollback').catch(() => undefined)
          if (!isLockTimeout(error) && !isCollision(error)) throw error
          if (performance.now() > giveUpAt)
            throw new StorageUnusable(
              'A long transaction, such as that of pg_dump, uses a table that must be changed; end it and start again',
              { cause: error },
            )
          log.info('waiting for a transaction that uses a table which must be changed')
        }
        await delay(LOCK_PAUSE_MS)
      }
    },
    buildIndex: (index) => buildIndex(client, index, log),
  }
}

async function buildIndex(client: pg.Client, { name, on, unique }: IndexDefinition, log: Log): Promise<void> {
  const { rows } = await client.query('select indisvalid as valid from pg_index where indexrelid = to_regclass($1)', [
    name,
  ])
  if (rows[0]?.valid === true) return
  // The build waits for older transactions without blocking anything, so it may wait.
  await client.query('set lock_timeout = 0')
  try {
    if (rows.length > 0) {
      log.warn(`building the index ${name} again: an earlier build was interrupted`)
      await client.query(`drop index concurrently if exists ${name}`)
    }
    await client.query(`create ${unique ? 'unique ' : ''}index concurrently ${name} on ${on}`)
  } finally {
    await client.query(`set lock_timeout = ${schemaLimits.lockWaitMs}`).catch(() => undefined)
  }
}
