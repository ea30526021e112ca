import { emit } from '../../events/emit.ts'
import type { EventType } from '../../events/types.ts'
import { newId } from '../../lib/ids.ts'
import { type DbWork, q, run, statement } from '../../storage/query.ts'
import type { PublishedIncidentTable, PublishedUpdateTable } from '../../storage/schema/status-pages.ts'
import type { IncidentProgress } from './progress.ts'
import type { PublishedIncidentJson } from './render.ts'

/** All columns that can change. */
export interface PublishedIncidentValues {
  orgId: string
  id: string
  title: string
  status: PublishedIncidentTable['status']
  impact: PublishedIncidentTable['impact']
  affected: string
  incidentId: string | null
  startedAt: number
  resolvedAt: number | null
  postmortem: string | null
  updateCount: number
  now: number
}

const update = statement((i: PublishedIncidentValues) =>
  q
    .updateTable('published_incidents')
    .set({
      title: i.title,
      status: i.status,
      impact: i.impact,
      affected: i.affected,
      incident_id: i.incidentId,
      started_at: i.startedAt,
      resolved_at: i.resolvedAt,
      postmortem: i.postmortem,
      update_count: i.updateCount,
      updated_at: i.now,
    })
    .where('org_id', '=', i.orgId)
    .where('id', '=', i.id),
)

export function* savePublished(values: PublishedIncidentValues): DbWork<void> {
  yield* run(update, values)
}

interface NewUpdate {
  orgId: string
  publishedId: string
  number: number
  id: string
  status: PublishedUpdateTable['status']
  message: string
  affected: string
  now: number
}

const insertUpdate = statement((u: NewUpdate) =>
  q.insertInto('published_incident_updates').values({
    org_id: u.orgId,
    published_id: u.publishedId,
    number: u.number,
    id: u.id,
    status: u.status,
    message: u.message,
    affected: u.affected,
    published_at: u.now,
    created_at: u.now,
  }),
)

interface IncidentKey {
  readonly orgId: string
  readonly publishedId: string
}

/** Adds an update with the current progress and returns its id. */
export function* addUpdate(
  incident: IncidentKey,
  { number, message }: { number: number; message: string },
  { status, affected }: IncidentProgress,
  now: number,
): DbWork<string> {
  const id = newId('upd', now)
  yield* run(insertUpdate, { ...incident, number, id, status, message, affected: JSON.stringify(affected), now })
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
