import { all, type DbWork, first, q, statement } from '../../storage/query.ts'
import type { ApiKeyTable } from '../../storage/schema/organizations.ts'

/** Without the hash. */
export type KeyRow = Omit<ApiKeyTable, 'hash'>

export const keyColumns = [
  'id',
  'org_id',
  'name',
  'hint',
  'access',
  'expires_at',
  'disabled_at',
  'revoked_at',
  'last_used_at',
  'created_at',
] as const

const ofOrganization = statement(({ orgId, after, limit }: { orgId: string; after: string; limit: number }) =>
  q
    .selectFrom('api_keys')
    .select(keyColumns)
    .where('org_id', '=', orgId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit),
)

/** One page in order of creation, starting after the id `after`. */
export function* keysOf(orgId: string, after: string, limit: number): DbWork<readonly KeyRow[]> {
  return yield* all(ofOrganization, { orgId, after, limit })
}

const byHash = statement(({ hash }: { hash: string }) =>
  q.selectFrom('api_keys').select(keyColumns).where('hash', '=', hash),
)

export function* keyWithHash(hash: string): DbWork<KeyRow | undefined> {
  return yield* first(byHash, { hash })
}
