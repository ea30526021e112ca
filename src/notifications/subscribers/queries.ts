import type { Selectable } from 'kysely'
import { notFound } from '../../contract/errors.ts'
import { newId } from '../../lib/ids.ts'
import { all, type DbWork, execute, first, q, run, runEach, statement } from '../../storage/query.ts'
import { type SubscriberKind, type SubscriberTable, subscriberKinds } from '../../storage/schema/subscribers.ts'
import type { NoticeTopic } from './types.ts'

interface NewNotice {
  orgId: string
  id: string
  pageId: string
  kind: SubscriberKind
  topic: string
  now: number
}

const insert = statement(({ orgId, id, pageId, kind, topic, now }: NewNotice) =>
  q.insertInto('subscriber_notices').values({
    org_id: orgId,
    id,
    page_id: pageId,
    kind,
    topic,
    after_num: 0,
    failures: 0,
    due_at: now,
    claimed_by: null,
    created_at: now,
  }),
)

/** Queues one notice for each published page and kind of confirmed subscribers, in the transaction of the change. */
export function* queueNotices(
  orgId: string,
  pageIds: readonly string[],
  topic: NoticeTopic,
  now: number,
): DbWork<void> {
  if (pageIds.length === 0) return
  const text = JSON.stringify(topic)
  for (const kind of subscriberKinds) {
    const pages = yield* pagesWithSubscribers(orgId, pageIds, kind)
    yield* runEach(
      insert,
      pages.map(({ id: pageId }) => ({ orgId, id: newId('ntc', now), pageId, kind, topic: text, now })),
    )
  }
}

function* pagesWithSubscribers(
  orgId: string,
  pageIds: readonly string[],
  kind: SubscriberKind,
): DbWork<readonly { readonly id: string }[]> {
  return yield* execute(
    q
      .selectFrom('status_pages as p')
      .select('p.id')
      .where('p.org_id', '=', orgId)
      .where('p.id', 'in', [...pageIds])
      .where('p.published', '=', 1)
      .where((is) =>
        is.exists(
          is
            .selectFrom('subscribers as s')
            .select('s.num')
            .whereRef('s.org_id', '=', 'p.org_id')
            .whereRef('s.page_id', '=', 'p.id')
            .where('s.kind', '=', kind)
            .where('s.state', '=', 'CONFIRMED'),
        ),
      )
      .orderBy('p.id'),
  )
}

const insertTombstone = statement(({ orgId, pageId }: { orgId: string; pageId: string }) =>
  q.insertInto('subscriber_tombstones').values({ org_id: orgId, page_id: pageId }),
)

/** Marks the subscribers of a deleted page for removal, which prune.ts does in small steps. */
export function* scheduleSubscriberRemoval(orgId: string, pageId: string): DbWork<void> {
  yield* run(insertTombstone, { orgId, pageId })
}

interface SubscriberKey {
  orgId: string
  id: string
}

const byId = statement(({ orgId, id }: SubscriberKey) =>
  q.selectFrom('subscribers').selectAll().where('org_id', '=', orgId).where('id', '=', id),
)

export type SubscriberRow = Selectable<SubscriberTable>

export function* subscriberOf(orgId: string, id: string): DbWork<SubscriberRow | undefined> {
  return yield* first(byId, { orgId, id })
}

interface After {
  orgId: string
  pageId: string
  after: number
  limit: number
}

const nextSubscribers = statement(({ orgId, pageId, after, limit }: After) =>
  q
    .selectFrom('subscribers')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('page_id', '=', pageId)
    .where('num', '>', after)
    .orderBy('num')
    .limit(limit),
)

/** A batch of the subscribers of a page, in order of sign-up. */
export function* subscribersAfter(
  orgId: string,
  pageId: string,
  after: number,
  limit: number,
): DbWork<readonly SubscriberRow[]> {
  return yield* all(nextSubscribers, { orgId, pageId, after, limit })
}

const pageExists = statement(({ orgId, pageId }: { orgId: string; pageId: string }) =>
  q.selectFrom('status_pages').select('id').where('org_id', '=', orgId).where('id', '=', pageId),
)

/** Throws not_found if the organization has no such status page. */
export function* requirePage(page: { orgId: string; pageId: string }): DbWork<void> {
  if ((yield* first(pageExists, page)) === undefined) throw notFound('status page')
}

const pendingNotices = statement((_: object) =>
  q.selectFrom('subscriber_notices').select((is) => is.fn.countAll<number>().as('count')),
)

/** Across all organizations. */
export function* countPendingNotices(): DbWork<number> {
  return (yield* first(pendingNotices, {}))?.count ?? 0
}

const bySlug = statement(({ slug }: { slug: string }) =>
  q.selectFrom('status_page_slugs').select(['org_id', 'page_id']).where('slug', '=', slug),
)

export function* pageBySlug(slug: string): DbWork<{ readonly orgId: string; readonly pageId: string } | undefined> {
  const row = yield* first(bySlug, { slug })
  return row && { orgId: row.org_id, pageId: row.page_id }
}
