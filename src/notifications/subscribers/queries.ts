import type { Selectable } from 'kysely'
import { notFound } from '../../contract/errors.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import type { SubscriberTable } from '../../storage/schema/subscribers.ts'

/** Marks the subscribers of a deleted page for removal, which prune.ts does in small steps. */
export function* scheduleSubscriberRemoval(orgId: string, pageId: string): DbWork<void> {
  yield* execute(q.insertInto('subscriber_tombstones').values({ org_id: orgId, page_id: pageId }))
}

export type SubscriberRow = Selectable<SubscriberTable>

export function* subscriberOf(orgId: string, id: string): DbWork<SubscriberRow | undefined> {
  return (yield* execute(q.selectFrom('subscribers').selectAll().where('org_id', '=', orgId).where('id', '=', id)))[0]
}

export function updateOf(orgId: string, id: string) {
  return q.updateTable('subscribers').where('org_id', '=', orgId).where('id', '=', id)
}

export function* unsubscribe(orgId: string, id: string): DbWork<void> {
  yield* execute(q.deleteFrom('subscribers').where('org_id', '=', orgId).where('id', '=', id))
}

/** Throws not_found if the organization has no such status page. */
export function* requirePage(orgId: string, id: string): DbWork<void> {
  const found = q.selectFrom('status_pages').select('id').where('org_id', '=', orgId).where('id', '=', id)
  if ((yield* execute(found)).length === 0) throw notFound('status page')
}
