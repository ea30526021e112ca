import type { KeyCaller } from './database.ts'
import { cacheable, type DbWork, first, q, statement } from './query.ts'

const activeKey = cacheable(({ hash }: { hash: string }) =>
  q
    .selectFrom('api_keys as k')
    .innerJoin('organizations as o', 'o.id', 'k.org_id')
    // The aliases are the fields of `KeyCaller`.
    .select(['k.id as keyId', 'k.name as keyName', 'k.access', 'k.expires_at as expiresAt'])
    .select(['o.id as orgId', 'o.slug as orgSlug', 'o.plan', 'o.subscription'])
    .where('k.hash', '=', hash)
    .where('k.revoked_at', 'is', null)
    .where('k.disabled_at', 'is', null),
)

/** The API key with this hash, unless it is revoked, disabled or expired. */
export function* findApiKey(hash: string, now: number): DbWork<KeyCaller | undefined> {
  const key = yield* first(activeKey, { hash })
  return key === undefined || (key.expiresAt !== null && key.expiresAt <= now) ? undefined : key
}

const keyDates = statement(({ hash }: { hash: string }) =>
  q.selectFrom('api_keys').select(['revoked_at', 'disabled_at', 'expires_at']).where('hash', '=', hash),
)

/** Why the key with this hash was not accepted. */
export function* keyProblem(hash: string): DbWork<'revoked' | 'disabled' | 'expired' | 'unknown'> {
  const key = yield* first(keyDates, { hash })
  if (key === undefined) return 'unknown'
  if (key.revoked_at !== null) return 'revoked'
  if (key.disabled_at !== null) return 'disabled'
  return key.expires_at === null ? 'unknown' : 'expired'
}
