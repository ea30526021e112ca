import { sql } from 'kysely'
import { publishedOn } from '../publishedincidents/queries.ts'
import { all, ask, first, q, statement, type Work } from '../storage/query.ts'
import type { PublishedIncidentTable, PublishedUpdateTable } from '../storage/schema-statuspages.ts'
import type { Place } from './queries.ts'

/** No page shows more incidents at once. */
export const MOST_INCIDENTS = 50

export type IncidentRow = Omit<PublishedIncidentTable, 'org_id' | 'seq' | 'update_count'>

const latestFirst = ({ orgId, pageId }: Place) =>
  publishedOn(orgId, pageId).orderBy('i.started_at', 'desc').orderBy('i.seq', 'desc')

// The sum keeps SQLite from walking through all that ever began, in order, for the few that have not ended.
const active = statement(({ orgId, pageId }: Place) =>
  publishedOn(orgId, pageId)
    .where('i.resolved_at', 'is', null)
    .orderBy(sql`i.started_at + 0`, 'desc')
    .orderBy('i.seq', 'desc')
    .limit(MOST_INCIDENTS),
)

const started = statement((of: Place & { readonly from: number; readonly to: number }) =>
  latestFirst(of)
    .where('i.started_at', '>=', of.from)
    .where('i.started_at', '<', of.to)
    .limit(MOST_INCIDENTS + 1),
)

const withId = statement((of: Place & { readonly id: string }) =>
  publishedOn(of.orgId, of.pageId).where('i.id', '=', of.id),
)

const ofMonitor = statement((of: Place & { readonly num: number; readonly from: number }) =>
  latestFirst(of)
    .innerJoin('published_incident_monitors as m', (on) =>
      on.onRef('m.org_id', '=', 'i.org_id').onRef('m.published_id', '=', 'i.id'),
    )
    .where('m.num', '=', of.num)
    .where('i.started_at', '>=', of.from)
    .limit(MOST_INCIDENTS),
)

const earliest = statement(({ orgId, pageId }: Place) => publishedOn(orgId, pageId).orderBy('i.started_at').limit(1))

export function* activeIncidents(place: Place): Work<readonly IncidentRow[]> {
  return yield* all(active, place)
}

/** Latest first; one more than is shown says that there are more. */
export function* incidentsStarted(place: Place, from: number, to: number): Work<readonly IncidentRow[]> {
  return yield* all(started, { ...place, from, to })
}

export function* incidentOf(place: Place, id: string): Work<IncidentRow | undefined> {
  return yield* first(withId, { ...place, id })
}

export function* incidentsOfMonitor(place: Place, num: number, from: number): Work<readonly IncidentRow[]> {
  return yield* all(ofMonitor, { ...place, num, from })
}

export function* earliestIncidentAt(place: Place): Work<number | undefined> {
  return (yield* first(earliest, place))?.started_at
}

export type UpdateRow = Omit<PublishedUpdateTable, 'org_id' | 'created_at'>

/** The latest updates of some incidents, newest first: of each at most so many. */
export function* updatesOf(orgId: string, ids: readonly string[], atMost: number): Work<readonly UpdateRow[]> {
  if (ids.length === 0) return []
  return yield* ask(
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
    .limit(MOST_INCIDENTS),
)

/** Detected outages of a monitor, latest first: when, and nothing of why, which is for its owners. */
export function* outagesOf(orgId: string, num: number, from: number): Work<readonly Outage[]> {
  return yield* all(outages, { orgId, num, from })
}
