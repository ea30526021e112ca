import { DAY_MS } from '../../lib/clock.ts'
import { all, type DbWork, first, q, run, statement } from '../../storage/query.ts'

interface Some {
  now: number
  limit: number
}

const dropUnconfirmed = statement(({ now, limit }: Some) =>
  q
    .deleteFrom('subscribers')
    .where(
      'num',
      'in',
      q.selectFrom('subscribers').select('num').where('confirm_by', '<=', now).orderBy('confirm_by').limit(limit),
    )
    .where('state', '=', 'PENDING'),
)

const dropWindows = statement(({ now, limit }: Some) =>
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

/** Forgets addresses that were not confirmed in time, and who asked how often; says how many. */
export function* pruneUnconfirmed(now: number, limit: number): DbWork<number> {
  return (yield* run(dropUnconfirmed, { now, limit })) + (yield* run(dropWindows, { now, limit }))
}

/** News that is older is none, and a mail server that comes back after days must not be met with it. */
export const NOTICE_LIFE_MS = DAY_MS

const dropNotices = statement(({ before, limit }: { before: number; limit: number }) =>
  q
    .deleteFrom('subscriber_notices')
    .where(
      'id',
      'in',
      q.selectFrom('subscriber_notices').select('id').where('created_at', '<=', before).orderBy('id').limit(limit),
    ),
)

/** Drops notices that could not be told to everybody in time. */
export function* pruneNotices(now: number, limit: number): DbWork<number> {
  return yield* run(dropNotices, { before: now - NOTICE_LIFE_MS, limit })
}

const remaining = statement((_: object) => q.selectFrom('subscriber_tombstones').selectAll().limit(10))

interface Gone {
  orgId: string
  pageId: string
}

const dropSome = statement(({ orgId, pageId, limit }: Gone & { limit: number }) =>
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

const dropItsNotices = statement(({ orgId, pageId }: Gone) =>
  q.deleteFrom('subscriber_notices').where('org_id', '=', orgId).where('page_id', '=', pageId),
)

const forget = statement(({ orgId, pageId }: Gone) =>
  q.deleteFrom('subscriber_tombstones').where('org_id', '=', orgId).where('page_id', '=', pageId),
)

const anyLeft = statement(({ orgId, pageId }: Gone) =>
  q.selectFrom('subscribers').select('num').where('org_id', '=', orgId).where('page_id', '=', pageId).limit(1),
)

/** Removes some of the subscribers whom deleted pages left behind; says how many. */
export function* pruneSubscribersOfDeletedPages(limit: number): DbWork<number> {
  let removed = 0
  for (const { org_id: orgId, page_id: pageId } of yield* all(remaining, {})) {
    const gone = { orgId, pageId }
    removed += yield* run(dropSome, { ...gone, limit: limit - removed })
    if ((yield* first(anyLeft, gone)) !== undefined) break
    yield* run(dropItsNotices, gone)
    yield* run(forget, gone)
  }
  return removed
}
