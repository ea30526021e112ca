import type { CountedRequest, KeyCaller, RateLimit, RateLimiter, RequestCount } from '../database.ts'
import { DATABASE_NOW } from './database-clock.ts'
import { requestLimits } from './limits.ts'
import { createPipeline } from './pipeline.ts'
import type { Pool } from './pool.ts'

/**
 * Looks up the API key and counts $4 requests in one round trip: for the key, and those within its quota $5 for the
 * organization. Requests whose connection was lost may be counted twice. The windows are rows, so the counts are exact across
 * nodes; the time is the database's, so nodes' clocks do not matter. Every statement locks the row of the key first, so two
 * cannot deadlock.
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
    ${addToWindow(`select coalesce((select "keyId" from caller), $2), ms, $4 from clock`)}
  ), organization as (
    ${addToWindow(`
      select "orgId", ms, least($4, $5 - counted.used + $4) from clock, counted, caller where counted.used - $4 < $5`)}
  )
  select caller.*, counted.used, ${resetsInMs('counted')} as "resetsInMs",
    organization.used as "orgUsed", ${resetsInMs('organization')} as "orgResetsInMs"
  from clock, counted left join caller on true left join organization on true`

function addToWindow(subjects: string): string {
  return `insert into rate_windows as w (subject, started_at, used) ${subjects}
    on conflict (subject) do update set
      started_at = case when w.started_at + $3 <= excluded.started_at then excluded.started_at else w.started_at end,
      used = case when w.started_at + $3 <= excluded.started_at then excluded.used else w.used + excluded.used end
    returning started_at, used`
}

function resetsInMs(window: string): string {
  return `greatest(1, least($3, ${window}.started_at + $3 - clock.ms))`
}

const PRUNE = `
  delete from rate_windows where subject in (
    select subject from rate_windows
    where started_at < ${DATABASE_NOW}::bigint - $1
    limit 10000 for update skip locked
  )`

interface CountedRow extends RequestCount, Partial<KeyCaller> {
  /** Null if nothing was counted for an organization. */
  readonly orgUsed: number | null
  readonly orgResetsInMs: number
}

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
      const values = [keyHash, address, limit.windowMs, requests.length, limit.quota]
      const { rows } = await pipeline.query({ name: 'count-requests', text: COUNT_REQUESTS, values })
      const { used, resetsInMs, orgUsed, orgResetsInMs, ...found } = rows[0] as CountedRow
      const caller = found.keyId == null ? undefined : (found as KeyCaller)
      const before = used - requests.length
      /** How many of the requests are within the quota of the key: the first ones. */
      const within = Math.min(requests.length, limit.quota - before)
      requests.forEach(({ resolve }, i) => {
        const organization =
          orgUsed === null || i >= within ? undefined : { used: orgUsed - within + i + 1, resetsInMs: orgResetsInMs }
        resolve({ caller, used: before + i + 1, resetsInMs, organization })
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
