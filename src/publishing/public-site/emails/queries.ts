import { type DbWork, execute, q } from '../../../storage/query.ts'
import type { PageKey } from '../../custom-domains/claims.ts'
import type { PublishedRow } from '../../published-incidents/render.ts'
import { incidentOf, type UpdateRow } from '../queries/incidents.ts'

interface IncidentWithUpdate {
  readonly incident: PublishedRow
  readonly update: UpdateRow
}

/** An incident with one of its updates, by default the latest; undefined if it is no longer on the page. */
export function* incidentWithUpdate(
  pageKey: PageKey,
  publishedId: string,
  updateId: string | null,
): DbWork<IncidentWithUpdate | undefined> {
  const incident = yield* incidentOf(pageKey, publishedId)
  const updates = q
    .selectFrom('published_incident_updates')
    .selectAll()
    .where('org_id', '=', pageKey.orgId)
    .where('published_id', '=', publishedId)
  const [update] = yield* execute(
    updateId === null ? updates.orderBy('number', 'desc').limit(1) : updates.where('id', '=', updateId),
  )
  return incident && update && { incident, update }
}

/** The ids of the monitors listed in a window; empty if it covers all monitors or was deleted. */
export function* monitorsCoveredBy(orgId: string, windowId: string): DbWork<readonly string[]> {
  const covered = yield* execute(
    q
      .selectFrom('maintenance_monitors as c')
      .innerJoin('monitors as m', (on) => on.onRef('m.num', '=', 'c.num').onRef('m.org_id', '=', 'c.org_id'))
      .select('m.id')
      .where('c.org_id', '=', orgId)
      .where('c.window_id', '=', windowId),
  )
  return covered.map(({ id }) => id)
}
