import { queueNotices } from '../../notifications/subscribers/notices.ts'
import type { DbWork } from '../../storage/query.ts'
import { pageIdsOf } from './links.ts'

/** A change that the subscribers of a published incident's pages get an email about. */
export interface IncidentChange {
  readonly orgId: string
  readonly publishedId: string
  /** Null if the incident itself was edited. */
  readonly updateId: string | null
  readonly now: number
}

/** Queues the emails, in the transaction of the change. */
export function* notifySubscribersOf({ orgId, publishedId, updateId, now }: IncidentChange): DbWork<void> {
  const pageIds = yield* pageIdsOf({ orgId, id: publishedId })
  yield* queueNotices(orgId, pageIds, { kind: 'incident', publishedId, updateId }, now)
}
