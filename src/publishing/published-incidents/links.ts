import { all, type DbWork, q, run, runEach, statement } from '../../storage/query.ts'
import type { AffectedStatus } from '../../storage/schema/status-pages.ts'
import type { Affected } from './schema.ts'

interface IncidentKey {
  readonly orgId: string
  readonly id: string
}

const deletePages = statement(({ orgId, id }: IncidentKey) =>
  q.deleteFrom('published_incident_pages').where('org_id', '=', orgId).where('published_id', '=', id),
)

const insertPage = statement((p: IncidentKey & { pageId: string; position: number }) =>
  q
    .insertInto('published_incident_pages')
    .values({ org_id: p.orgId, published_id: p.id, page_id: p.pageId, position: p.position }),
)

/** Replaces the pages that a published incident is shown on. */
export function* setPages(incident: IncidentKey, pageIds: readonly string[]): DbWork<void> {
  yield* run(deletePages, incident)
  yield* runEach(
    insertPage,
    pageIds.map((pageId, position) => ({ ...incident, pageId, position })),
  )
}

const deleteMonitors = statement(({ orgId, id }: IncidentKey) =>
  q.deleteFrom('published_incident_monitors').where('org_id', '=', orgId).where('published_id', '=', id),
)

const insertMonitor = statement((m: IncidentKey & { num: number; status: AffectedStatus }) =>
  q
    .insertInto('published_incident_monitors')
    .values({ org_id: m.orgId, published_id: m.id, num: m.num, status: m.status }),
)

/** Replaces the affected monitors; `nums` maps monitor ids to their numbers. */
export function* setAffectedMonitors(
  incident: IncidentKey,
  affected: readonly Affected[],
  nums: ReadonlyMap<string, number>,
): DbWork<void> {
  yield* run(deleteMonitors, incident)
  yield* runEach(
    insertMonitor,
    affected.map(({ monitorId, status }) => ({ ...incident, num: nums.get(monitorId) as number, status })),
  )
}

const setOperational = statement(({ orgId, id }: IncidentKey) =>
  q
    .updateTable('published_incident_monitors')
    .set({ status: 'OPERATIONAL' })
    .where('org_id', '=', orgId)
    .where('published_id', '=', id),
)

export function* setAllOperational(incident: IncidentKey): DbWork<void> {
  yield* run(setOperational, incident)
}

const pageIds = statement(({ orgId, id }: IncidentKey) =>
  q
    .selectFrom('published_incident_pages')
    .select('page_id')
    .where('org_id', '=', orgId)
    .where('published_id', '=', id)
    .orderBy('position'),
)

export function* pageIdsOf(incident: IncidentKey): DbWork<string[]> {
  return (yield* all(pageIds, incident)).map(({ page_id: pageId }) => pageId)
}
