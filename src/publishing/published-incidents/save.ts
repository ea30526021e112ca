import { emit } from '../../events/emit.ts'
import type { EventType } from '../../events/types.ts'
import { newId } from '../../lib/ids.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import type { PublishedIncidentTable } from '../../storage/schema/status-pages.ts'
import type { IncidentProgress } from './progress.ts'
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

/** Emits events with the current state of a published incident. */
export function* emitIncidentEvents(
  orgId: string,
  types: readonly EventType[],
  published: PublishedIncidentJson,
  now: number,
): DbWork<void> {
  const data = JSON.stringify(published)
  for (const type of types) yield* emit({ orgId, type, data, now })
}
