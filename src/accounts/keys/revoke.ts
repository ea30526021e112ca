import { type DbWork, first, q, run, statement } from '../../storage/query.ts'
import { keyWithId, type ListedKeyRow } from './queries.ts'

const revoke = statement(({ id, now }: { id: string; now: number }) =>
  q
    .updateTable('api_keys')
    .set((is) => ({ revoked_at: is.fn.coalesce('revoked_at', is.val(now)) }))
    .where('id', '=', id),
)

/** By id alone, for the operator's command line. Revoking twice keeps the first date. */
export function* revokeKey(id: string, now: number): DbWork<ListedKeyRow | undefined> {
  yield* run(revoke, { id, now })
  return yield* keyWithId(id)
}

const revokeOfOrganization = statement(({ orgId, id, now }: { orgId: string; id: string; now: number }) =>
  q
    .updateTable('api_keys')
    .set((is) => ({ revoked_at: is.fn.coalesce('revoked_at', is.val(now)) }))
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning('id'),
)

/** False if the organization has no such key. */
export function* revokeKeyOf(orgId: string, id: string, now: number): DbWork<boolean> {
  return (yield* first(revokeOfOrganization, { orgId, id, now })) !== undefined
}
