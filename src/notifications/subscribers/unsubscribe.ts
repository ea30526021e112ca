import { type DbWork, first, q, run, statement } from '../../storage/query.ts'

const drop = statement(({ orgId, id }: { orgId: string; id: string }) =>
  q.deleteFrom('subscribers').where('org_id', '=', orgId).where('id', '=', id),
)

/** Forgets a subscriber, with the address. Says whether there was one. */
export function* unsubscribe(orgId: string, id: string): DbWork<boolean> {
  return (yield* run(drop, { orgId, id })) === 1
}

const dropAddress = statement((whose: { orgId: string; pageId: string; address: string }) =>
  q
    .deleteFrom('subscribers')
    .where('org_id', '=', whose.orgId)
    .where('page_id', '=', whose.pageId)
    .where('address', '=', whose.address)
    .returning('id'),
)

/** The same by the address, for those who look after the page. */
export function* removeAddress(orgId: string, pageId: string, address: string): DbWork<boolean> {
  return (yield* first(dropAddress, { orgId, pageId, address })) !== undefined
}
