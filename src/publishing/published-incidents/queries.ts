import { notFound } from '../../contract/errors.ts'
import { all, type DbWork, execute, first, q, run, statement } from '../../storage/query.ts'
import type { AffectedStatus } from '../../storage/schema-statuspages.ts'
import { type PublishedRow, renderPublished, type Shown, type UpdateRow } from './render.ts'
import type { Affected } from './schema.ts'

interface Place {
  orgId: string
  id: string
}

const shown = [
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

/** For lists whose filters come with the request. */
export function publishedOf(orgId: string) {
  return q.selectFrom('published_incidents as i').select(shown).where('i.org_id', '=', orgId)
}

/** Those that stand on a page. */
export function publishedOn(orgId: string, pageId: string) {
  return publishedOf(orgId).where((is) =>
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

const byId = statement(({ orgId, id }: Place) => publishedOf(orgId).where('i.id', '=', id))

/** A published incident as the API shows it. */
export function* publishedIncidentOf(orgId: string, id: string): DbWork<Shown> {
  const row = yield* first(byId, { orgId, id })
  if (row === undefined) throw notFound('published incident')
  const [whole] = yield* completed(orgId, [row])
  return whole as Shown
}

/** What a change needs to know of a published incident. */
export interface PublishedToChange extends PublishedRow {
  readonly seq: number
  readonly update_count: number
}

const forChange = statement(({ orgId, id }: Place) =>
  publishedOf(orgId).select(['i.seq', 'i.update_count']).where('i.id', '=', id).forUpdate(),
)

/** The published incident, held until the end of the transaction. */
export function* publishedToChange(orgId: string, id: string): DbWork<PublishedToChange> {
  const row = yield* first(forChange, { orgId, id })
  if (row === undefined) throw notFound('published incident')
  return row
}

/** Adds pages and updates to what was found, in as many questions for a hundred as for one. */
export function* completed(orgId: string, rows: readonly PublishedRow[]): DbWork<Shown[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const pages = yield* execute(
    q
      .selectFrom('published_incident_pages')
      .select(['published_id', 'page_id'])
      .where('org_id', '=', orgId)
      .where('published_id', 'in', ids)
      .orderBy('published_id')
      .orderBy('place'),
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

export interface PublishedStatus {
  readonly page_id: string
  readonly num: number
  readonly status: AffectedStatus
}

/** What active published incidents say of the monitors on these pages. */
export function* statusesPublishedOn(orgId: string, pageIds: readonly string[]): DbWork<readonly PublishedStatus[]> {
  const [only] = pageIds
  if (only !== undefined && pageIds.length === 1) return yield* all(statusesOnPage, { orgId, pageId: only })
  return yield* execute(openStatuses(orgId).where('p.page_id', 'in', pageIds))
}

/** A page is looked at more often than all of them, and its question is built once. */
const statusesOnPage = statement(({ orgId, pageId }: { orgId: string; pageId: string }) =>
  openStatuses(orgId).where('p.page_id', '=', pageId),
)

function openStatuses(orgId: string) {
  return q
    .selectFrom('published_incidents as i')
    .innerJoin('published_incident_pages as p', (on) =>
      on.onRef('p.org_id', '=', 'i.org_id').onRef('p.published_id', '=', 'i.id'),
    )
    .innerJoin('published_incident_monitors as m', (on) =>
      on.onRef('m.org_id', '=', 'i.org_id').onRef('m.published_id', '=', 'i.id'),
    )
    .select(['p.page_id', 'm.num', 'm.status'])
    .where('i.org_id', '=', orgId)
    .where('i.resolved_at', 'is', null)
}

const naming = statement(({ orgId, num }: { orgId: string; num: number }) =>
  publishedOf(orgId)
    .where('i.id', 'in', (of) =>
      of
        .selectFrom('published_incident_monitors')
        .select('published_id')
        .where('org_id', '=', orgId)
        .where('num', '=', num),
    )
    .orderBy('i.id')
    .forUpdate(),
)

const saveAffected = statement((i: { orgId: string; id: string; affected: string; now: number }) =>
  q
    .updateTable('published_incidents')
    .set({ affected: i.affected, updated_at: i.now })
    .where('org_id', '=', i.orgId)
    .where('id', '=', i.id),
)

const unlink = statement(({ orgId, num }: { orgId: string; num: number }) =>
  q.deleteFrom('published_incident_monitors').where('org_id', '=', orgId).where('num', '=', num),
)

const forgetIncidents = statement(({ orgId, num, now }: { orgId: string; num: number; now: number }) =>
  q
    .updateTable('published_incidents')
    .set({ incident_id: null, updated_at: now })
    .where('org_id', '=', orgId)
    .where('incident_id', 'in', (of) =>
      of.selectFrom('incidents').select('id').where('org_id', '=', orgId).where('num', '=', num),
    ),
)

/**
 * Takes a monitor that is about to be deleted, and is held for it, off every published incident, together with the
 * detected incidents that go with it. What updates said of it at the time stays said.
 */
export function* takeOffPublished(orgId: string, monitor: { num: number; id: string }, now: number): DbWork<void> {
  const { num } = monitor
  const affecting = yield* all(naming, { orgId, num })
  for (const { id, affected } of affecting) {
    const left = (JSON.parse(affected) as Affected[]).filter(({ monitorId }) => monitorId !== monitor.id)
    yield* run(saveAffected, { orgId, id, affected: JSON.stringify(left), now })
  }
  if (affecting.length > 0) yield* run(unlink, { orgId, num })
  yield* run(forgetIncidents, { orgId, num, now })
}
