import { appOperation } from '../../contract/app-operation.ts'
import { notFound } from '../../contract/errors.ts'
import { Deleted } from '../../contract/schema.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { keyWithId, type ListedKeyRow } from './queries.ts'
import { ofKey } from './schema.ts'

/** False if the organization has no such key. Revoking twice keeps the first date. */
export function* revokeKeyOf(orgId: string, id: string, now: number): DbWork<boolean> {
  const revoke = q.updateTable('api_keys').set((is) => ({ revoked_at: is.fn.coalesce('revoked_at', is.val(now)) }))
  return (yield* execute(revoke.where('org_id', '=', orgId).where('id', '=', id).returning('id'))).length === 1
}

/** By id alone, for the operator's command line. */
export function* revokeKeyWithId(id: string, now: number): DbWork<ListedKeyRow | undefined> {
  const key = yield* keyWithId(id)
  if (key === undefined || !(yield* revokeKeyOf(key.org_id, id, now))) return undefined
  return yield* keyWithId(id)
}

export const revokeKey = appOperation('revokeKey', {
  ...ofKey,
  method: 'DELETE',
  path: '/keys/:keyId',
  summary: 'Revoke an API key',
  description: 'Permanently revokes the key; its next request is refused.',
  answer: { status: 200, schema: Deleted, description: 'The key was revoked' },
  *handle({ caller: { orgId }, now }, { params: { keyId: id } }) {
    if (!(yield* revokeKeyOf(orgId, id, now))) throw notFound('key')
    return { data: { id } }
  },
})
