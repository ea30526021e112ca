import type { Static } from 'typebox'
import { ApiError } from '../../contract/errors.ts'
import { newId } from '../../lib/ids.ts'
import { reason } from '../../reasons/reason.ts'
import type { UserCaller } from '../../storage/database.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { type KeyRow, keysOf, MAX_KEYS } from './queries.ts'
import { renderKey } from './render.ts'
import type { CreatedKey } from './schema.ts'
import { hashKey, hintOf, newKey } from './secret.ts'

export interface NewKey {
  readonly orgId: string
  readonly name: string
  readonly access: 'full' | 'read-only'
  readonly expiresAt: number | null
  /** Id of the user; absent for a key that the operator creates. */
  readonly createdBy?: string
  /** Chosen by the operator; random by default. */
  readonly secret?: string
}

/** The secret is returned here only; the database stores its hash. */
export function* insertKey(
  { orgId, name, access, expiresAt, createdBy, secret = newKey() }: NewKey,
  now: number,
): DbWork<{ key: KeyRow; secret: string }> {
  const key: KeyRow = {
    id: newId('key', now),
    org_id: orgId,
    name,
    hint: hintOf(secret),
    access,
    expires_at: expiresAt,
    disabled_at: null,
    revoked_at: null,
    last_used_at: null,
    last_used_address: null,
    created_by: createdBy ?? null,
    created_at: now,
  }
  yield* execute(q.insertInto('api_keys').values({ ...key, hash: hashKey(secret) }))
  return { key, secret }
}

/** A key that a member creates. */
export function* issueKey(
  { orgId, userId, userName }: UserCaller,
  settings: Pick<NewKey, 'name' | 'access' | 'expiresAt'>,
  now: number,
): DbWork<Static<typeof CreatedKey>> {
  const ofCreator = q.selectFrom('members').select('role').where('org_id', '=', orgId).where('user_id', '=', userId)
  // The row lock makes a removal of the creator wait, so that it finds this key.
  const [membership] = yield* execute(ofCreator.forUpdate())
  if (membership === undefined) {
    throw new ApiError('forbidden', reason('member_no_longer'))
  }
  if ((yield* keysOf(orgId, '', MAX_KEYS)).length >= MAX_KEYS) {
    throw new ApiError('conflict', reason('key_limit', { count: MAX_KEYS }))
  }
  const { key, secret } = yield* insertKey({ orgId, createdBy: userId, ...settings }, now)
  return { ...renderKey({ ...key, creator_name: userName, creator_role: membership.role }, now), key: secret }
}
