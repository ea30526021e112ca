import { emit } from '../../events/emit.ts'
import type { EventType } from '../../events/types.ts'
import { newId } from '../../lib/ids.ts'
import { queueNotices } from '../../notifications/subscribers/notices.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import type { PublishedIncidentTable } from '../../storage/schema/status-pages.ts'
import { pageIdsOf } from './links.ts'
import type { IncidentProgress } from './progress.ts'
import { publishedIncidentOf } from './queries.ts'
import type { PublishedIncidentJson } from './render.ts'

/** Saves the columns that changed. */
export function* savePublished(
  orgId: string,
  id: string,
  columns: Partial<Omit<PublishedIncidentTable, 'org_id' | 'id' | 'seq'>>,
): DbWork<void> {
  yield* execute(q.updateTable('published_incidents').set(columns).where('org_id', '=', orgId).where('id', '=', id))
}

/** Adds an update with the current progress and returns its id. */
export function* addUpdate(
  orgId: string,
  publishedId: string,
  { number, message }: { number: number; message: string },
  { status, affected }: IncidentProgress,
  now: number,
): DbWork<string> {
  const id = newId('upd', now)
  yield* execute(
    q.insertInto('published_incident_updates').values({
      org_id: orgId,
      published_id: publishedId,
      number,
      id,
      status,
      message,
      affected: JSON.stringify(affected),
      published_at: now,
      created_at: now,
    }),
  )
  return id
}

interface Announcement {
  readonly orgId: string
  readonly id: string
  readonly type: EventType
  /** Before the change. */
  readonly wasResolved: boolean
  /** Whether the subscribers of its pages are notified. */
  readonly notify: boolean
  /** Null if the incident itself was edited. */
  readonly updateId: string | null
}

/** Notifies subscribers of a change and emits its events. Returns the incident as it is now. */
export function* announce(
  { orgId, id, type, wasResolved, notify, updateId }: Announcement,
  now: number,
): DbWork<PublishedIncidentJson> {
  if (notify) {
    yield* queueNotices(orgId, yield* pageIdsOf({ orgId, id }), { kind: 'incident', publishedId: id, updateId }, now)
  }
  const published = yield* publishedIncidentOf(orgId, id)
  const data = JSON.stringify(published)
  yield* emit({ orgId, type, data, now })
  if (!wasResolved && published.resolvedAt !== null) {
    yield* emit({ orgId, type: 'status_incident.resolved', data, now })
  }
  return published
}
