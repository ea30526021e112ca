import type { KeyCaller } from './database.ts'
import { cacheable, type DbWork, first, q } from './query.ts'

/** The columns of a caller; the aliases are the names of `KeyCaller`. */
export const apiKeyColumns = [
  'k.id as keyId',
  'k.name as keyName',
  'k.access as access',
  'o.id as orgId',
  'o.slug as orgSlug',
  'o.plan as plan',
  'o.subscription as subscription',
] as const

const standingKey = cacheable(({ hash }: { hash: string }) =>
  q
    .selectFrom('api_keys as k')
    .innerJoin('organizations as o', 'o.id', 'k.org_id')
    .select([...apiKeyColumns, 'k.expires_at as expiresAt'])
    .where('k.hash', '=', hash)
    .where('k.revoked_at', 'is', null)
    .where('k.disabled_at', 'is', null),
)

/** The caller behind a key that is neither revoked, disabled nor expired. */
export function* findApiKey(hash: string, now: number): DbWork<KeyCaller | undefined> {
  const key = yield* first(standingKey, { hash })
  return key === undefined || (key.expiresAt !== null && key.expiresAt <= now) ? undefined : key
}
