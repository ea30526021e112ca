import type { CountedRequest, KeyCaller, RateLimit, RateLimiter } from '../database.ts'
import { DATABASE_NOW } from './database-clock.ts'
import { requestLimits } from './limits.ts'
import { createPipeline } from './pipeline.ts'
import type { Pool } from './pool.ts'

/**
 * Looks up the API key and counts $4 requests in one round trip. Requests whose connection was lost may be counted twice. The window is a row, so the count is exact across
 * nodes; the time is the database's, so nodes' clocks do not matter.
 */
const COUNT_REQUESTS = `
  with clock as (
    select ${DATABASE_NOW}::bigint as ms
  ), caller as (
    select k.id as "keyId", k.name as "keyName", k.access, o.id as "orgId", o.slug as "orgSlug", o.plan, o.subscription
    from clock, api_keys k join organizations o on o.id = k.org_id
    where k.hash = $1 and k.revoked_at is null and k.disabled_at is null
      and (k.expires_at is null or k.expires_at > clock.ms)
  ), counted as (
    insert into rate_windows as w (subject, started_at, used)
    select coalesce((select "keyId" from caller), $2), ms, $4 from clock
    on conflict (subject) do update set
      started_at = case when w.started_at + $3 <= excluded.started_at then excluded.started_at else w.started_at end,
      used = case when w.started_at + $3 <= excluded.started_at then $4 else w.used + $4 end
    returning started_at, used
  )
  select caller.*, counted.used, greatest(1, least($3, counted.started_at + $3 - clock.ms)) as "resetsInMs"
  from clock, counted left join caller on true`

const PRUNE = `
  delete from rate_windows where subject in (
    select subject from rate_windows
    where started_at < ${DATABASE_NOW}::bigint - $1
    limit 10000 for update skip locked
  )`

interface Waiting {
  readonly resolve: (counted: CountedRequest) => void
  readonly reject: (error: unknown) => void
}

/**
 * Requests with the same key and address that wait at the same time are counted by one statement, and each gets its own
 * count of those that the statement added. At most one statement per key is on its way: a second one would only wait for the
 * lock of the row.
 */
export function createPostgresRateLimiter(pool: Pool, limit: RateLimit): RateLimiter {
  const pipeline = createPipeline(pool, requestLimits)
  const waiting = new Map<string, Waiting[]>()

  async function countAll(id: string, keyHash: string, address: string): Promise<void> {
    for (let requests = waiting.get(id) ?? []; requests.length > 0; requests = waiting.get(id) ?? []) {
      waiting.set(id, [])
      await count(requests, keyHash, address)
    }
    waiting.delete(id)
  }

  async function count(requests: readonly Waiting[], keyHash: string, address: string): Promise<void> {
    try {
      const values = [keyHash, address, limit.windowMs, requests.length]
      const { rows } = await pipeline.query({ name: 'count-requests', text: COUNT_REQUESTS, values })
      const { used, resetsInMs, ...found } = rows[0] as { used: number; resetsInMs: number } & Partial<KeyCaller>
      const caller = found.keyId == null ? undefined : (found as KeyCaller)
      const before = used - requests.length
      requests.forEach(({ resolve }, i) => {
        resolve({ caller, used: before + i + 1, resetsInMs })
      })
    } catch (error) {
      for (const { reject } of requests) reject(error)
    }
  }

  return {
    countRequest(keyHash = '', address) {
      return new Promise((resolve, reject) => {
        const id = `${keyHash} ${address}`
        const same = waiting.get(id)
        if (same !== undefined) same.push({ resolve, reject })
        else {
          waiting.set(id, [{ resolve, reject }])
          // After all requests that have arrived in this turn of the event loop.
          setImmediate(() => void countAll(id, keyHash, address))
        }
      })
    },
    async prune() {
      return (await pool.query(PRUNE, [limit.windowMs])).rowCount ?? 0
    },
  }
}
