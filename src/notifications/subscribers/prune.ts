import { DAY_MS } from '../../lib/clock.ts'
import { all, type DbWork, first, q, run, statement } from '../../storage/query.ts'

interface Expired {
  now: number
  limit: number
}

const deleteUnconfirmed = statement(({ now, limit }: Expired) =>
  q
    .deleteFrom('subscribers')
    .where(
      'num',
      'in',
      q.selectFrom('subscribers').select('num').where('confirm_by', '<=', now).orderBy('confirm_by').limit(limit),
    )
    .where('state', '=', 'PENDING'),
)

const deleteWindows = statement(({ now, limit }: Expired) =>
  q
    .deleteFrom('subscriber_rate_windows')
    .where(
      'subject',
      'in',
      q
        .selectFrom('subscriber_rate_windows')
        .select('subject')
        .where('ends_at', '<=', now)
        .orderBy('ends_at')
        .limit(limit),
    )
    .where('ends_at', '<=', now),
)

/** Deletes subscribers that were not confirmed in time, and ended rate windows. Returns how many. */
export function* pruneUnconfirmed(now: number, limit: number): DbWork<number> {
  return (yield* run(deleteUnconfirmed, { now, limit })) + (yield* run(deleteWindows, { now, limit }))
}

/** Older notices are not sent, even if the mail server was unreachable until now. */
export const NOTICE_LIFE_MS = DAY_MS

const deleteOldNotices = statement(({ before, limit }: { before: number; limit: number }) =>
  q
    .deleteFrom('subscriber_notices')
    .where(
      'id',
      'in',
      q.selectFrom('subscriber_notices').select('id').where('created_at', '<=', before).orderBy('id').limit(limit),
    ),
)

/** Deletes notices that could not be sent to everybody in time. */
export function* pruneNotices(now: number, limit: number): DbWork<number> {
  return yield* run(deleteOldNotices, { before: now - NOTICE_LIFE_MS, limit })
}

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

const deleteNoticesOfPage = statement(({ orgId, pageId }: DeletedPage) =>
  q.deleteFrom('subscriber_notices').where('org_id', '=', orgId).where('page_id', '=', pageId),
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
    yield* run(deleteNoticesOfPage, page)
    yield* run(deleteTombstone, page)
  }
  return removed
}
