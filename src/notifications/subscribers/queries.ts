import type { Selectable } from 'kysely'
import { notFound } from '../../contract/errors.ts'
import { type DbWork, first, q, run, statement } from '../../storage/query.ts'
import type { SubscriberTable } from '../../storage/schema/subscribers.ts'

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

const pageExists = statement(({ orgId, pageId }: { orgId: string; pageId: string }) =>
  q.selectFrom('status_pages').select('id').where('org_id', '=', orgId).where('id', '=', pageId),
)

/** Throws not_found if the organization has no such status page. */
export function* requirePage(page: { orgId: string; pageId: string }): DbWork<void> {
  if ((yield* first(pageExists, page)) === undefined) throw notFound('status page')
}
