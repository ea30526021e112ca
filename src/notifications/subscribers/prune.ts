import { type DbWork, execute, q } from '../../storage/query.ts'
import { pruning } from '../../storage/queue/prune.ts'

/** Deletes subscribers that were not confirmed in time. */
export const pruneUnconfirmed = pruning({
  table: 'subscribers',
  key: ['num'],
  by: 'confirm_by',
  filter: (is) => is('state', '=', 'PENDING'),
})

/** Deletes at most `limit` subscribers of deleted pages. Returns how many. */
export function* pruneSubscribersOfDeletedPages(limit: number): DbWork<number> {
  let removed = 0
  const tombstones = yield* execute(q.selectFrom('subscriber_tombstones').selectAll().limit(10))
  for (const { org_id: orgId, page_id: pageId } of tombstones) {
    const ofPage = q.selectFrom('subscribers').select('num').where('org_id', '=', orgId).where('page_id', '=', pageId)
    const some = ofPage.orderBy('address').limit(limit - removed)
    const deleted = q.deleteFrom('subscribers').where('org_id', '=', orgId).where('num', 'in', some)
    removed += (yield* execute(deleted.returning('num'))).length
    if ((yield* execute(ofPage.limit(1))).length > 0) break
    const tombstone = q.deleteFrom('subscriber_tombstones').where('org_id', '=', orgId)
    yield* execute(tombstone.where('page_id', '=', pageId))
  }
  return removed
}
