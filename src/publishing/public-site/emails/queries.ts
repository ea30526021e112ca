import { all, type DbWork, first, q, statement } from '../../../storage/query.ts'
import type { DomainRules } from '../../custom-domains/served.ts'
import { type IncidentRow, incidentOf, type UpdateRow } from '../queries/incidents.ts'
import { type PageKey, pageWithKey, type StoredPage } from '../queries/pages.ts'

export function* publishedPageOf(pageKey: PageKey, rules: DomainRules): DbWork<StoredPage | undefined> {
  const page = yield* pageWithKey(pageKey, rules)
  return page?.published === 1 ? page : undefined
}

interface IncidentKey {
  orgId: string
  publishedId: string
}

const updates = ({ orgId, publishedId }: IncidentKey) =>
  q
    .selectFrom('published_incident_updates')
    .select(['published_id', 'number', 'id', 'status', 'message', 'affected', 'published_at'])
    .where('org_id', '=', orgId)
    .where('published_id', '=', publishedId)

const updateWithId = statement((update: IncidentKey & { id: string }) => updates(update).where('id', '=', update.id))

const latestUpdate = statement((incident: IncidentKey) => updates(incident).orderBy('number', 'desc').limit(1))

export interface IncidentWithUpdate {
  readonly incident: IncidentRow
  readonly update: UpdateRow
}

/** An incident with one of its updates, by default the latest; undefined if it is no longer on the page. */
export function* incidentWithUpdate(
  pageKey: PageKey,
  publishedId: string,
  updateId: string | null,
): DbWork<IncidentWithUpdate | undefined> {
  const { orgId } = pageKey
  const incident = yield* incidentOf(pageKey, publishedId)
  const update =
    updateId === null
      ? yield* first(latestUpdate, { orgId, publishedId })
      : yield* first(updateWithId, { orgId, publishedId, id: updateId })
  return incident && update && { incident, update }
}

interface WindowKey {
  orgId: string
  windowId: string
}

const covered = statement(({ orgId, windowId }: WindowKey) =>
  q
    .selectFrom('maintenance_monitors as c')
    .innerJoin('monitors as m', (on) => on.onRef('m.num', '=', 'c.num').onRef('m.org_id', '=', 'c.org_id'))
    .select('m.id')
    .where('c.org_id', '=', orgId)
    .where('c.window_id', '=', windowId),
)

/** The ids of the monitors listed in a window; empty if it covers all monitors or was deleted. */
export function* monitorsCoveredBy(orgId: string, windowId: string): DbWork<readonly string[]> {
  return (yield* all(covered, { orgId, windowId })).map(({ id }) => id)
}
