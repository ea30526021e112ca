import { all, type DbWork, first, q, run, statement } from '../../storage/query.ts'
import { pruning } from '../../storage/queue/prune.ts'

/** Deletes subscribers that were not confirmed in time. */
export const pruneUnconfirmed = pruning({
  table: 'subscribers',
  key: ['num'],
  by: 'confirm_by',
  filter: (is) => is('state', '=', 'PENDING'),
})

const tombstones = statement((_: object) => q.selectFrom('subscriber_tombstones').selectAll().limit(10))

interface DeletedPage {
  orgId: string
  pageId: string
}

const deleteSomeSubscribers = statement(({ orgId, pageId, limit }: DeletedPage & { limit: number }) =>
  q
    .deleteFrom('subscribers')
    .where('org_id', '=', orgId)
    .where('num', 'in', (of) =>
      of
        .selectFrom('subscribers')
        .select('num')
        .where('org_id', '=', orgId)
        .where('page_id', '=', pageId)
        .orderBy('address')
        .limit(limit),
    ),
)

const deleteTombstone = statement(({ orgId, pageId }: DeletedPage) =>
  q.deleteFrom('subscriber_tombstones').where('org_id', '=', orgId).where('page_id', '=', pageId),
)

const anySubscriber = statement(({ orgId, pageId }: DeletedPage) =>
  q.selectFrom('subscribers').select('num').where('org_id', '=', orgId).where('page_id', '=', pageId).limit(1),
)

/** Deletes at most `limit` subscribers of deleted pages. Returns how many. */
export function* pruneSubscribersOfDeletedPages(limit: number): DbWork<number> {
  let removed = 0
  for (const { org_id: orgId, page_id: pageId } of yield* all(tombstones, {})) {
    const page = { orgId, pageId }
    removed += yield* run(deleteSomeSubscribers, { ...page, limit: limit - removed })
    if ((yield* first(anySubscriber, page)) !== undefined) break
    yield* run(deleteTombstone, page)
  }
  return removed
}
