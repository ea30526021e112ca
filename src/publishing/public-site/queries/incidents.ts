import { type Expression, sql } from 'kysely'
import { all, type DbWork, execute, first, q, statement } from '../../../storage/query.ts'
import type { PublishedIncidentTable, PublishedUpdateTable } from '../../../storage/schema/status-pages.ts'
import { selectPublishedOn } from '../../published-incidents/queries.ts'
import type { PageKey } from './pages.ts'

/** No page shows more incidents at once. */
export const MAX_INCIDENTS = 50

export type IncidentRow = Omit<PublishedIncidentTable, 'org_id' | 'seq' | 'update_count'>

const latestFirst = ({ orgId, pageId }: PageKey) =>
  selectPublishedOn(orgId, pageId).orderBy('i.started_at', 'desc').orderBy('i.seq', 'desc')

// The sum keeps SQLite from walking through all that ever began, in order, for the few that have not ended.
const active = statement(({ orgId, pageId }: PageKey) =>
  selectPublishedOn(orgId, pageId)
    .where('i.resolved_at', 'is', null)
    .orderBy(sql`i.started_at + 0`, 'desc')
    .orderBy('i.seq', 'desc')
    .limit(MAX_INCIDENTS),
)

const started = statement((of: PageKey & { readonly from: number; readonly to: number }) =>
  latestFirst(of)
    .where('i.started_at', '>=', of.from)
    .where('i.started_at', '<', of.to)
    .limit(MAX_INCIDENTS + 1),
)

const withId = statement((of: PageKey & { readonly id: string }) =>
  selectPublishedOn(of.orgId, of.pageId).where('i.id', '=', of.id),
)

const ofMonitor = statement((of: PageKey & { readonly num: number; readonly from: number }) =>
  latestFirst(of)
    .innerJoin('published_incident_monitors as m', (on) =>
      on.onRef('m.org_id', '=', 'i.org_id').onRef('m.published_id', '=', 'i.id'),
    )
    .where('m.num', '=', of.num)
    .where('i.started_at', '>=', of.from)
    .limit(MAX_INCIDENTS),
)

const earliest = statement(({ orgId, pageId }: PageKey) =>
  selectPublishedOn(orgId, pageId).orderBy('i.started_at').limit(1),
)

/** One where a question finds something, else 0: the engines do not agree about what is true. */
const whether = (question: Expression<unknown>) => sql<number>`case when exists ${question} then 1 else 0 end`

const published = (orgId: string) => q.selectFrom('published_incidents').select('id').where('org_id', '=', orgId)

const announcements = statement(({ orgId, since }: { orgId: string; since: number }) =>
  q.selectNoFrom([
    whether(published(orgId).where('resolved_at', 'is', null)).as('active'),
    whether(published(orgId).where('started_at', '>=', since)).as('lately'),
    whether(
      q
        .selectFrom('maintenance_windows')
        .select('id')
        .where('org_id', '=', orgId)
        .where('next_transition_at', 'is not', null),
    ).as('maintenance'),
  ]),
)

/**
 * Whether an organization has told of anything at all: mostly it has not, and to ask that is a small part of what it takes to put
 * in order what there might be.
 */
export function* announcementsOf(orgId: string, since: number) {
  const found = yield* first(announcements, { orgId, since })
  return { active: found?.active === 1, lately: found?.lately === 1, maintenance: found?.maintenance === 1 }
}

export function* activeIncidents(pageKey: PageKey): DbWork<readonly IncidentRow[]> {
  return yield* all(active, pageKey)
}

/** Latest first; one more than is shown says that there are more. */
export function* incidentsStarted(pageKey: PageKey, from: number, to: number): DbWork<readonly IncidentRow[]> {
  return yield* all(started, { ...pageKey, from, to })
}

export function* incidentOf(pageKey: PageKey, id: string): DbWork<IncidentRow | undefined> {
  return yield* first(withId, { ...pageKey, id })
}

export function* incidentsOfMonitor(pageKey: PageKey, num: number, from: number): DbWork<readonly IncidentRow[]> {
  return yield* all(ofMonitor, { ...pageKey, num, from })
}

export function* earliestIncidentAt(pageKey: PageKey): DbWork<number | undefined> {
  return (yield* first(earliest, pageKey))?.started_at
}

export type UpdateRow = Omit<PublishedUpdateTable, 'org_id' | 'created_at'>

/** The latest updates of some incidents, newest first: of each at most so many. */
export function* updatesOf(orgId: string, ids: readonly string[], atMost: number): DbWork<readonly UpdateRow[]> {
  if (ids.length === 0) return []
  return yield* execute(
    q
      .selectFrom('published_incident_updates as u')
      .innerJoin('published_incidents as i', (on) =>
        on.onRef('i.org_id', '=', 'u.org_id').onRef('i.id', '=', 'u.published_id'),
      )
      .select(['u.published_id', 'u.number', 'u.id', 'u.status', 'u.message', 'u.affected', 'u.published_at'])
      .where('u.org_id', '=', orgId)
      .where('u.published_id', 'in', [...ids])
      .where((is) => is('u.number', '>', is('i.update_count', '-', atMost)))
      .orderBy('u.published_id')
      .orderBy('u.number', 'desc'),
  )
}

export interface Outage {
  readonly started_at: number
  readonly resolved_at: number | null
}

const outages = statement(({ orgId, num, from }: { orgId: string; num: number; from: number }) =>
  q
    .selectFrom('incidents')
    .select(['started_at', 'resolved_at'])
    .where('org_id', '=', orgId)
    .where('num', '=', num)
    .where('started_at', '>=', from)
    .orderBy('seq', 'desc')
    .limit(MAX_INCIDENTS),
)

/** Detected outages of a monitor, latest first: when, and nothing of why, which is for its owners. */
export function* outagesOf(orgId: string, num: number, from: number): DbWork<readonly Outage[]> {
  return yield* all(outages, { orgId, num, from })
}
