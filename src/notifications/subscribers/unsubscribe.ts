import { type DbWork, q, run, statement } from '../../storage/query.ts'

const deleteById = statement(({ orgId, id }: { orgId: string; id: string }) =>
  q.deleteFrom('subscribers').where('org_id', '=', orgId).where('id', '=', id),
)

/** Deletes a subscriber. False if there was none. */
export function* unsubscribe(orgId: string, id: string): DbWork<boolean> {
  return (yield* run(deleteById, { orgId, id })) === 1
}
