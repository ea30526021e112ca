import type { CountedRequest, KeyCaller, RateLimit, RateLimiter } from '../database.ts'
import type { Pool } from './pool.ts'

/**
 * Looks up the API key and counts the request in one round trip. The window is a row, so the count is exact across
 * nodes; the time is the database's, so nodes' clocks do not matter. Counting stops one above the quota.
 */
const COUNT_REQUEST = `
  with clock as (
    select (extract(epoch from clock_timestamp()) * 1000)::bigint as ms
  ), caller as (
    select k.id as "keyId", k.name as "keyName", k.access, o.id as "orgId", o.slug as "orgSlug", o.plan, o.subscription
    from clock, api_keys k join organizations o on o.id = k.org_id
    where k.hash = $1 and k.revoked_at is null and k.disabled_at is null
      and (k.expires_at is null or k.expires_at > clock.ms)
  ), counted as (
    insert into rate_windows as w (subject, started_at, used)
    select coalesce((select "keyId" from caller), $2), ms, 1 from clock
    on conflict (subject) do update set
      started_at = case when w.started_at + $3 <= excluded.started_at then excluded.started_at else w.started_at end,
      used = case when w.started_at + $3 <= excluded.started_at then 1 else least(w.used + 1, $4) end
    returning started_at, used
  )
  select caller.*, counted.used, greatest(1, least($3, counted.started_at + $3 - clock.ms)) as "resetsInMs"
  from clock, counted left join caller on true`

const PRUNE = `
  delete from rate_windows where subject in (
    select subject from rate_windows
    where started_at < (extract(epoch from clock_timestamp()) * 1000)::bigint - $1
    limit 10000 for update skip locked
  )`

export function createPostgresRateLimiter(pool: Pool, limit: RateLimit): RateLimiter {
  return {
    async countRequest(keyHash, address): Promise<CountedRequest> {
      const values = [keyHash ?? '', address, limit.windowMs, limit.quota + 1]
      const { rows } = await pool.query({ name: 'count-request', text: COUNT_REQUEST, values })
      const { used, resetsInMs, ...caller } = rows[0] as { used: number; resetsInMs: number } & Partial<KeyCaller>
      return { caller: caller.keyId == null ? undefined : (caller as KeyCaller), used, resetsInMs }
    },
    async prune() {
      return (await pool.query(PRUNE, [limit.windowMs])).rowCount ?? 0
    },
  }
}
