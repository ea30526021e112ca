import { all, type DbWork, first, q, statement } from '../../../storage/query.ts'
import { type IncidentRow, incidentOf, type UpdateRow } from '../queries/incidents.ts'
import type { PageKey, StoredPage } from '../queries/pages.ts'

const withId = statement(({ orgId, pageId }: PageKey) =>
  q
    .selectFrom('status_pages')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', pageId)
    .where('published', '=', 1),
)

/** A published page, by what is known of it here; a visitor knows another name of it. */
export function* publishedPageOf(pageKey: PageKey): DbWork<StoredPage | undefined> {
  return yield* first(withId, pageKey)
}

interface Which {
  orgId: string
  publishedId: string
}

const updates = ({ orgId, publishedId }: Which) =>
  q
    .selectFrom('published_incident_updates')
    .select(['published_id', 'number', 'id', 'status', 'message', 'affected', 'published_at'])
    .where('org_id', '=', orgId)
    .where('published_id', '=', publishedId)

const updateWithId = statement((of: Which & { id: string }) => updates(of).where('id', '=', of.id))

const latestUpdate = statement((of: Which) => updates(of).orderBy('number', 'desc').limit(1))

export interface IncidentWithUpdate {
  readonly incident: IncidentRow
  readonly update: UpdateRow
}

/** An incident with one update of it, or the latest one; undefined where it is not on the page any more. */
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

interface Window {
  orgId: string
  windowId: string
}

const covered = statement(({ orgId, windowId }: Window) =>
  q
    .selectFrom('maintenance_monitors as c')
    .innerJoin('monitors as m', (on) => on.onRef('m.num', '=', 'c.num').onRef('m.org_id', '=', 'c.org_id'))
    .select('m.id')
    .where('c.org_id', '=', orgId)
    .where('c.window_id', '=', windowId),
)

/** The monitors that a window names; none where it covers all, or is gone. */
export function* monitorsCoveredBy(orgId: string, windowId: string): DbWork<readonly string[]> {
  return (yield* all(covered, { orgId, windowId })).map(({ id }) => id)
}
