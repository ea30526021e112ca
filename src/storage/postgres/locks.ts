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
  /** A session may take an advisory lock twice, so what this node holds is known here. */
  const held = new Set<string>()
  let session: Promise<pg.Client> | undefined

  /** One connection answers one question at a time. */
  let turn: Promise<unknown> = Promise.resolve()

  function ask(client: pg.Client, name: 'lock' | 'unlock', number: string): Promise<pg.QueryResult> {
    const text = name === 'lock' ? 'select pg_try_advisory_lock($1) as taken' : 'select pg_advisory_unlock($1)'
    const answer = turn.then(() => client.query({ name, text, values: [number] }))
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
    const forget = (): void => {
      session = undefined
    }
    client.on('error', (error) => {
      log.warn({ err: error }, 'the connection that holds locks was lost')
      forget()
    })
    client.on('end', forget)
    await client.connect()
    return client
  }

  return {
    async tryLock(name: string): Promise<Lock | undefined> {
      if (held.has(name)) return undefined
      held.add(name)
      const number = lockNumber(name)
      try {
        const client = await connect()
        const { rows } = await ask(client, 'lock', number)
        if (rows[0]?.taken === true) return { release: () => release(client, name, number) }
      } catch (error) {
        held.delete(name)
        throw error
      }
      held.delete(name)
      return undefined
    },
    async close() {
      const client = await session?.catch(() => undefined)
      await client?.end()
    },
  }

  async function release(client: pg.Client, name: string, number: string): Promise<void> {
    try {
      await ask(client, 'unlock', number)
    } catch (error) {
      log.warn({ err: error }, 'a lock could not be released; it ended with its connection')
    } finally {
      held.delete(name)
    }
  }
}

/** PostgreSQL names advisory locks by 64 bits. */
function lockNumber(name: string): string {
  return createHash('sha256').update(name).digest().readBigInt64BE().toString()
}
