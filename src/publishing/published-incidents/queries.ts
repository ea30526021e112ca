import { notFound } from '../../contract/errors.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import type { AffectedStatus } from '../../storage/schema/status-pages.ts'
import { type PublishedIncidentJson, type PublishedRow, renderPublished, type UpdateRow } from './render.ts'

const columns = [
  'i.id',
  'i.title',
  'i.status',
  'i.impact',
  'i.affected',
  'i.incident_id',
  'i.started_at',
  'i.resolved_at',
  'i.postmortem',
  'i.created_at',
  'i.updated_at',
] as const

/** A query for lists to filter and sort. */
export function selectPublished(orgId: string) {
  return q.selectFrom('published_incidents as i').select(columns).where('i.org_id', '=', orgId)
}

/** The same for the incidents of one page. */
export function selectPublishedOn(orgId: string, pageId: string) {
  return selectPublished(orgId).where((is) =>
    is.exists(
      is
        .selectFrom('published_incident_pages as p')
        .select('p.page_id')
        .whereRef('p.org_id', '=', 'i.org_id')
        .whereRef('p.published_id', '=', 'i.id')
        .where('p.page_id', '=', pageId),
    ),
  )
}

/** A published incident as the API shows it. */
export function* publishedIncidentOf(orgId: string, id: string): DbWork<PublishedIncidentJson> {
  const [row] = yield* execute(selectPublished(orgId).where('i.id', '=', id))
  if (row === undefined) throw notFound('published incident')
  const [incident] = yield* withPagesAndUpdates(orgId, [row])
  return incident as PublishedIncidentJson
}

export interface PublishedForUpdate extends PublishedRow {
  readonly update_count: number
}

/** Reads the published incident and locks it until the end of the transaction. */
export function* publishedForUpdate(orgId: string, id: string): DbWork<PublishedForUpdate> {
  const incident = selectPublished(orgId).select('i.update_count').where('i.id', '=', id)
  const [row] = yield* execute(incident.forUpdate())
  if (row === undefined) throw notFound('published incident')
  return row
}

/** Adds page ids and updates to the rows, in two queries for any number of rows. */
export function* withPagesAndUpdates(orgId: string, rows: readonly PublishedRow[]): DbWork<PublishedIncidentJson[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const pages = yield* execute(
    q
      .selectFrom('published_incident_pages')
      .select(['published_id', 'page_id'])
      .where('org_id', '=', orgId)
      .where('published_id', 'in', ids)
      .orderBy('published_id')
      .orderBy('position'),
  )
  const updates: readonly UpdateRow[] = yield* execute(
    q
      .selectFrom('published_incident_updates')
      .select(['published_id', 'id', 'status', 'message', 'affected', 'published_at', 'created_at'])
      .where('org_id', '=', orgId)
      .where('published_id', 'in', ids)
      .orderBy('published_id')
      .orderBy('number', 'desc'),
  )
  const pagesOf = Map.groupBy(pages, (page) => page.published_id)
  const updatesOf = Map.groupBy(updates, (update) => update.published_id)
  return rows.map((row) =>
    renderPublished(row, pagesOf.get(row.id)?.map((page) => page.page_id) ?? [], updatesOf.get(row.id) ?? []),
  )
}

export interface PublishedMonitorStatus {
  readonly page_id: string
  readonly num: number
  readonly status: AffectedStatus
}

/**
 * The statuses that active published incidents give to monitors, for each of these pages. Each status of a monitor once,
 * although hundreds of incidents may give it.
 */
export function publishedStatusesOn(
  orgId: string,
  pageIds: readonly string[],
): DbWork<readonly PublishedMonitorStatus[]> {
  const statuses = q
    .selectFrom('published_incidents as i')
    .innerJoin('published_incident_pages as p', (on) =>
      on.onRef('p.org_id', '=', 'i.org_id').onRef('p.published_id', '=', 'i.id'),
    )
    .innerJoin('published_incident_monitors as m', (on) =>
      on.onRef('m.org_id', '=', 'i.org_id').onRef('m.published_id', '=', 'i.id'),
    )
    .select(['p.page_id', 'm.num', 'm.status'])
    .distinct()
    .where('i.org_id', '=', orgId)
    .where('i.resolved_at', 'is', null)
  return execute(statuses.where('p.page_id', 'in', pageIds))
}
