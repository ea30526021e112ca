import { type DbWork, execute, q } from '../../storage/query.ts'
import type { Affected } from './schema.ts'

interface IncidentKey {
  readonly orgId: string
  readonly id: string
}

/** Replaces the pages that a published incident is shown on. */
export function* setPages({ orgId, id }: IncidentKey, pageIds: readonly string[]): DbWork<void> {
  yield* execute(q.deleteFrom('published_incident_pages').where('org_id', '=', orgId).where('published_id', '=', id))
  const rows = pageIds.map((pageId, position) => ({ org_id: orgId, published_id: id, page_id: pageId, position }))
  yield* execute(q.insertInto('published_incident_pages').values(rows))
}

/** Replaces the affected monitors; `nums` maps monitor ids to their numbers. */
export function* setAffectedMonitors(
  { orgId, id }: IncidentKey,
  affected: readonly Affected[],
  nums: ReadonlyMap<string, number>,
): DbWork<void> {
  yield* execute(q.deleteFrom('published_incident_monitors').where('org_id', '=', orgId).where('published_id', '=', id))
  if (affected.length === 0) return
  const rows = affected.map(({ monitorId, status }) => {
    return { org_id: orgId, published_id: id, num: nums.get(monitorId) as number, status }
  })
  yield* execute(q.insertInto('published_incident_monitors').values(rows))
}

export function* setAllOperational({ orgId, id }: IncidentKey): DbWork<void> {
  yield* execute(
    q
      .updateTable('published_incident_monitors')
      .set({ status: 'OPERATIONAL' })
      .where('org_id', '=', orgId)
      .where('published_id', '=', id),
  )
}

export function* pageIdsOf({ orgId, id }: IncidentKey): DbWork<string[]> {
  const rows = yield* execute(
    q
      .selectFrom('published_incident_pages')
      .select('page_id')
      .where('org_id', '=', orgId)
      .where('published_id', '=', id)
      .orderBy('position'),
  )
  return rows.map(({ page_id: pageId }) => pageId)
}
