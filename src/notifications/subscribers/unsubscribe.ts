import { type DbWork, first, q, run, statement } from '../../storage/query.ts'

const deleteById = statement(({ orgId, id }: { orgId: string; id: string }) =>
  q.deleteFrom('subscribers').where('org_id', '=', orgId).where('id', '=', id),
)

/** Deletes a subscriber. False if there was none. */
export function* unsubscribe(orgId: string, id: string): DbWork<boolean> {
  return (yield* run(deleteById, { orgId, id })) === 1
}

const deleteByAddress = statement((key: { orgId: string; pageId: string; address: string }) =>
  q
    .deleteFrom('subscribers')
    .where('org_id', '=', key.orgId)
    .where('page_id', '=', key.pageId)
    .where('address', '=', key.address)
    .returning('id'),
)

/** The same by address, for operators. */
export function* removeAddress(orgId: string, pageId: string, address: string): DbWork<boolean> {
  return (yield* first(deleteByAddress, { orgId, pageId, address })) !== undefined
}
