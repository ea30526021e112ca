import { queueNotices } from '../../notifications/subscribers/queries.ts'
import type { DbWork } from '../../storage/query.ts'
import { pageIdsOf } from './links.ts'

/** Something that the subscribers of a published incident's pages are to be told. */
export interface Notice {
  readonly orgId: string
  readonly publishedId: string
  /** The update to tell of; null where the incident itself was edited. */
  readonly updateId: string | null
  readonly now: number
}

/** Called in the transaction of the change, wherever its author asked that subscribers be told. */
export function* tellSubscribers({ orgId, publishedId, updateId, now }: Notice): DbWork<void> {
  const pageIds = yield* pageIdsOf({ orgId, id: publishedId })
  yield* queueNotices(orgId, pageIds, { kind: 'incident', publishedId, updateId }, now)
}
