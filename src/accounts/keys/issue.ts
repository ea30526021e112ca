import type { Static } from 'typebox'
import { ApiError, notFound } from '../../contract/errors.ts'
import type { UserCaller } from '../../storage/database.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { insertKey, type NewKey } from './insert.ts'
import { keysOf, keyWithId, MAX_KEYS } from './queries.ts'
import { renderKey } from './render.ts'
import type { CreatedKey } from './schema.ts'

export function* issueKey(
  { orgId, userId }: UserCaller,
  settings: Pick<NewKey, 'name' | 'access' | 'expiresAt'>,
  now: number,
): DbWork<Static<typeof CreatedKey>> {
  const ofCreator = q.selectFrom('members').select('role').where('org_id', '=', orgId).where('user_id', '=', userId)
  // The row lock makes a removal of the creator wait, so that it finds this key.
  const [membership] = yield* execute(ofCreator.forUpdate())
  if (membership === undefined) {
    throw new ApiError('forbidden', 'You are no longer a member of this organization')
  }
  if ((yield* keysOf(orgId, '', MAX_KEYS)).length >= MAX_KEYS) {
    throw new ApiError('conflict', `The limit of ${MAX_KEYS} keys per organization is reached, including revoked keys`)
  }
  const { key, secret } = yield* insertKey({ orgId, createdBy: userId, ...settings }, now)
  const created = yield* keyWithId(key.id)
  if (created === undefined) throw notFound('key')
  return { ...renderKey(created, now), key: secret }
}
