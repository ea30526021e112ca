import { createHash } from 'node:crypto'
import pg from 'pg'
import type { Log } from '../../lib/log.ts'
import type { Lock } from '../database.ts'

/**
 * Named locks across nodes: session-level advisory locks, all held by one connection of this node. PostgreSQL ends them
 * when the connection dies, so a crashed node leaves none behind. Should only the connection die, what the locks
 * guarded is still safe: whatever must happen once is also unique in a table.
 */
export function createLocks(settings: pg.ClientConfig, log: Log) {
  /** What this node has, or is just asking for: a session may take an advisory lock twice, so it is known here. */
  const held = new Set<string>()
  /** What it was given, and takes again when the connection was lost. */
  const given = new Set<string>()
  let session: Promise<pg.Client> | undefined
  let closed = false

  /** One connection answers one question at a time. */
  let turn: Promise<unknown> = Promise.resolve()

  function ask(client: pg.Client, name: 'lock' | 'unlock', lock: string): Promise<pg.QueryResult> {
    const text = name === 'lock' ? 'select pg_try_advisory_lock($1) as taken' : 'select pg_advisory_unlock($1)'
    const answer = turn.then(() => client.query({ name, text, values: [lockNumber(lock)] }))
    turn = answer.catch(() => undefined)
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
    const client = new pg.Client(settings)
    let isLost = false
    const lose = (error?: Error): void => {
      if (isLost || closed) return
      isLost = true
      log.warn({ err: error }, 'the connection that holds locks was lost')
      session = undefined
      void retake(new Set(given))
    }
    client.on('error', lose)
    await client.connect()
    client.on('end', () => lose())
    return client
  }

  /** Others take this node for dead until it has its lock again. */
  async function retake(missing: Set<string>): Promise<void> {
    while (missing.size > 0 && !closed) {
      await takeAll(missing).catch((error) =>
        log.debug({ err: error }, 'locks that were lost cannot be taken again yet'),
      )
      if (missing.size > 0) await new Promise((resolve) => setTimeout(resolve, RETAKE_EVERY_MS).unref())
    }
  }

  async function takeAll(missing: Set<string>): Promise<void> {
    const client = await connect()
    for (const name of missing) {
      const isWanted = given.has(name)
      const { rows } = isWanted ? await ask(client, 'lock', name) : { rows: [{ taken: true }] }
      if (rows[0]?.taken === true) missing.delete(name)
    }
  }

  return {
    async tryLock(name: string): Promise<Lock | undefined> {
      if (held.has(name)) return undefined
      held.add(name)
      try {
        const { rows } = await ask(await connect(), 'lock', name)
        if (rows[0]?.taken === true) {
          given.add(name)
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

  async function release(name: string): Promise<void> {
    given.delete(name)
    try {
      if (session !== undefined) await ask(await session, 'unlock', name)
    } catch (error) {
      log.warn({ err: error }, 'a lock could not be released; it ended with its connection')
    } finally {
      held.delete(name)
    }
  }
}

const RETAKE_EVERY_MS = 250

/** PostgreSQL names advisory locks by 64 bits. */
function lockNumber(name: string): string {
  return createHash('sha256').update(name).digest().readBigInt64BE().toString()
}
