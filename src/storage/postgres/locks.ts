import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { Log } from '../../lib/log.ts'
import type { Lock } from '../database.ts'
import { type DbWork, first, q, type Read, sideBySide, statement } from '../query.ts'
import { DATABASE_NOW } from './database-clock.ts'
import type { Pool } from './pool.ts'

const RETRY_MS = 1_000

/** Takes a lock that is free, or whose holder is no member any more. No transaction may hold it: see `firstUnderLock`. */
const TAKE = `
  insert into locks as l (name, holder, taken_at)
  select $1, $2, ${DATABASE_NOW}::bigint where pg_try_advisory_xact_lock($3)
  on conflict (name) do update set holder = excluded.holder, taken_at = excluded.taken_at
  where not exists (select from nodes n where n.name = l.holder)
  returning name`

const RELEASE = 'delete from locks where name = any ($1) and holder = any ($2)'

/**
 * Named locks across nodes: rows that carry the name of a node and are valid while it is a member. They use the pool, so
 * they do not wait for each other, and work through a connection pooler. If a node is declared dead while it works, another
 * can take its lock; everything that must happen once is therefore also protected by a unique key.
 */
export function createLocks(pool: Pool, log: Log) {
  /** Held or requested by this node: a second request is refused without asking the database. */
  const held = new Set<string>()
  /** To be released, with their holders: the database did not answer, and the rows stay for as long as this node lives. */
  const unreleased = new Map<string, string>()
  let retryTimer: NodeJS.Timeout | undefined
  let isClosed = false
  let holder: string | undefined

  async function release(locks: ReadonlyMap<string, string>): Promise<void> {
    try {
      const values = [[...locks.keys()], [...new Set(locks.values())]]
      await pool.query({ name: 'release-locks', text: RELEASE, values })
    } catch (error) {
      log.warn({ err: error }, 'cannot release a lock; retrying')
      for (const [name, by] of locks) unreleased.set(name, by)
      retryLater()
      return
    }
    for (const name of locks.keys()) held.delete(name)
  }

  function retryLater(): void {
    if (isClosed) return
    retryTimer ??= setTimeout(() => {
      retryTimer = undefined
      const locks = new Map(unreleased)
      unreleased.clear()
      void release(locks)
    }, RETRY_MS).unref()
  }

  async function take(name: string, by: string): Promise<boolean> {
    try {
      return (await pool.query({ name: 'take-lock', text: TAKE, values: [name, by, lockNumber(name)] })).rowCount === 1
    } catch (error) {
      // The server may have taken it before the error.
      unreleased.set(name, by)
      retryLater()
      throw error
    }
  }

  return {
    lockAs(node: string): void {
      holder = node
    },
    async tryLock(name: string): Promise<Lock | undefined> {
      const by = holder
      if (by === undefined) throw new Error('Locks need a node: start one first')
      if (held.has(name)) return undefined
      held.add(name)
      if (await take(name, by)) return { release: () => release(new Map([[name, by]])) }
      held.delete(name)
      return undefined
    },
    /** Ends retries. The rows that are left end with the node. */
    close(): void {
      isClosed = true
      clearTimeout(retryTimer)
    },
  }
}

/** False also while a node holds the lock as a row. */
const tryTransactionLock = statement(({ name, number }: { name: string; number: string }) =>
  q.selectNoFrom(
    sql<boolean>`pg_try_advisory_xact_lock(${number}) and not exists (
      select from locks l join nodes n on n.name = l.holder where l.name = ${name}
    )`.as('taken'),
  ),
)

/** See Database. Both are separate statements: the second one sees what a previous holder of the lock has committed. */
export function* firstUnderLock<V extends object, Row>(
  name: string,
  of: Read<V, Row>,
  values: NoInfer<V>,
): DbWork<{ isLocked: boolean; row: Row | undefined }> {
  const [lock, row] = yield* sideBySide(
    first(tryTransactionLock, { name, number: lockNumber(name) }),
    first(of, values),
  )
  return { isLocked: lock?.taken === true, row }
}

/** Advisory locks are identified by 64-bit integers. */
function lockNumber(name: string): string {
  return hash('sha256', name, 'buffer').readBigInt64BE().toString()
}
