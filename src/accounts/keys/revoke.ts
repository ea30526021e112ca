import { type DbWork, first, q, statement } from '../../storage/query.ts'
import { type KeyRow, keyColumns } from './queries.ts'

const revoke = statement(({ id, now }: { id: string; now: number }) =>
  q
    .updateTable('api_keys')
    .set((is) => ({ revoked_at: is.fn.coalesce('revoked_at', is.val(now)) }))
    .where('id', '=', id)
    .returning(keyColumns),
)

/** By id alone, for the operator's command line. Revoking twice keeps the first date. */
export function* revokeKey(id: string, now: number): DbWork<KeyRow | undefined> {
  return yield* first(revoke, { id, now })
}
