import type { KeyCaller } from './database.ts'
import { cacheable, type DbWork, first, q } from './query.ts'

/** The aliases are the fields of `KeyCaller`. */
const callerColumns = [
  'k.id as keyId',
  'k.name as keyName',
  'k.access as access',
  'o.id as orgId',
  'o.slug as orgSlug',
  'o.plan as plan',
  'o.subscription as subscription',
] as const

const activeKey = cacheable(({ hash }: { hash: string }) =>
  q
    .selectFrom('api_keys as k')
    .innerJoin('organizations as o', 'o.id', 'k.org_id')
    .select([...callerColumns, 'k.expires_at as expiresAt'])
    .where('k.hash', '=', hash)
    .where('k.revoked_at', 'is', null)
    .where('k.disabled_at', 'is', null),
)

/** The API key with this hash, unless it is revoked, disabled or expired. */
export function* findApiKey(hash: string, now: number): DbWork<KeyCaller | undefined> {
  const key = yield* first(activeKey, { hash })
  return key === undefined || (key.expiresAt !== null && key.expiresAt <= now) ? undefined : key
}
