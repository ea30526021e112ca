import { ApiError, notFound } from '../../contract/errors.ts'
import { reason } from '../../reasons/reason.ts'
import { type DbWork, execute, first, q, statement } from '../../storage/query.ts'
import type { Role } from '../../storage/schema/accounts.ts'
import type { ApiKeyTable } from '../../storage/schema/organizations.ts'

/** Includes revoked keys, which stay listed. */
export const MAX_KEYS = 500

/** Without the hash. */
export type KeyRow = Omit<ApiKeyTable, 'hash'>

/** With the user who created it. */
export interface ListedKeyRow extends KeyRow {
  readonly creator_name: string | null
  /** Null if the creator is not a member. */
  readonly creator_role: Role | null
}

const keyColumns = [
  'id',
  'org_id',
  'name',
  'hint',
  'access',
  'expires_at',
  'disabled_at',
  'revoked_at',
  'last_used_at',
  'last_used_address',
  'created_by',
  'created_at',
] as const

const listed = () =>
  q
    .selectFrom('api_keys as k')
    .leftJoin('users as u', 'u.id', 'k.created_by')
    .leftJoin('members as m', (on) => on.onRef('m.org_id', '=', 'k.org_id').onRef('m.user_id', '=', 'k.created_by'))
    .select(keyColumns.map((column) => `k.${column}` as const))
    .select(['u.name as creator_name', 'm.role as creator_role'])

/** One page in order of creation, starting after the id `after`. */
export function* keysOf(orgId: string, after: string, limit: number): DbWork<readonly ListedKeyRow[]> {
  const ofOrganization = listed().where('k.org_id', '=', orgId)
  return yield* execute(ofOrganization.where('k.id', '>', after).orderBy('k.id').limit(limit))
}

/** By id alone: the caller has checked the organization. */
export function* keyWithId(id: string): DbWork<ListedKeyRow | undefined> {
  const [key] = yield* execute(listed().where('k.id', '=', id))
  return key
}

/** The keys that a user created and that are neither revoked nor expired. Includes disabled keys, which can be enabled again. */
export function* liveKeysOfCreator(orgId: string, userId: string, now: number): DbWork<readonly ListedKeyRow[]> {
  const ofCreator = listed().where('k.org_id', '=', orgId).where('k.created_by', '=', userId)
  const live = ofCreator
    .where('k.revoked_at', 'is', null)
    .where((is) => is.or([is('k.expires_at', 'is', null), is('k.expires_at', '>', now)]))
  return yield* execute(live.orderBy('k.id'))
}

const byHash = statement(({ hash }: { hash: string }) =>
  q.selectFrom('api_keys').select(keyColumns).where('hash', '=', hash),
)

export function* keyWithHash(hash: string): DbWork<KeyRow | undefined> {
  return yield* first(byHash, { hash })
}

/** A key of this organization that is neither revoked nor expired; locked until the end of the transaction. */
export function* requireLiveKey(orgId: string, id: string, now: number): DbWork<KeyRow> {
  const keys = q.selectFrom('api_keys').select(keyColumns)
  const [key] = yield* execute(keys.where('org_id', '=', orgId).where('id', '=', id).forUpdate())
  if (key === undefined) throw notFound('key')
  if (key.revoked_at !== null) throw new ApiError('conflict', reason('key_revoked'))
  if (key.expires_at !== null && key.expires_at <= now) throw new ApiError('conflict', reason('key_expired'))
  return key
}
