import { sql } from 'kysely'
import { DAY_MS } from '../../../lib/clock.ts'
import { all, type DbWork, execute, first, q, statement } from '../../../storage/query.ts'
import type { PublishedIncidentTable, PublishedUpdateTable } from '../../../storage/schema/status-pages.ts'
import { selectPublishedOn } from '../../published-incidents/queries.ts'
import type { PageKey } from './pages.ts'

/** Per list. */
export const MAX_INCIDENTS = 50

export type IncidentRow = Omit<PublishedIncidentTable, 'org_id' | 'seq' | 'update_count'>

const latestFirst = ({ orgId, pageId }: PageKey) =>
  selectPublishedOn(orgId, pageId).orderBy('i.started_at', 'desc').orderBy('i.seq', 'desc')

// `+ 0` keeps SQLite from sorting by the index on started_at, which would scan all resolved incidents.
const active = statement(({ orgId, pageId }: PageKey) =>
  selectPublishedOn(orgId, pageId)
    .where('i.resolved_at', 'is', null)
    .orderBy(sql`i.started_at + 0`, 'desc')
    .orderBy('i.seq', 'desc')
    .limit(MAX_INCIDENTS),
)

const started = statement((query: PageKey & { readonly from: number; readonly to: number }) =>
  latestFirst(query)
    .where('i.started_at', '>=', query.from)
    .where('i.started_at', '<', query.to)
    .limit(MAX_INCIDENTS + 1),
)

/** Incidents that lasted longer than this are not found on the days after. */
const MAX_DURATION_MS = 60 * DAY_MS

const overlapping = statement(
  (query: PageKey & { readonly since: number; readonly from: number; readonly to: number }) =>
    latestFirst(query)
      .where('i.started_at', '<', query.to)
      .where('i.started_at', '>=', query.since)
      .where((is) => is.or([is('i.resolved_at', 'is', null), is('i.resolved_at', '>=', query.from)]))
      .limit(MAX_INCIDENTS),
)

const withId = statement((query: PageKey & { readonly id: string }) =>
  selectPublishedOn(query.orgId, query.pageId).where('i.id', '=', query.id),
)

const ofMonitor = statement((query: PageKey & { readonly num: number; readonly from: number }) =>
  latestFirst(query)
    .innerJoin('published_incident_monitors as m', (on) =>
      on.onRef('m.org_id', '=', 'i.org_id').onRef('m.published_id', '=', 'i.id'),
    )
    .where('m.num', '=', query.num)
    .where('i.started_at', '>=', query.from)
    .limit(MAX_INCIDENTS),
)

const earliest = statement(({ orgId, pageId }: PageKey) =>
  selectPublishedOn(orgId, pageId).orderBy('i.started_at').limit(1),
)

export function* activeIncidents(pageKey: PageKey): DbWork<readonly IncidentRow[]> {
  return yield* all(active, pageKey)
}

/** Latest first. Reads one more than MAX_INCIDENTS, which tells that there are more. */
export function* incidentsStarted(pageKey: PageKey, from: number, to: number): DbWork<readonly IncidentRow[]> {
  return yield* all(started, { ...pageKey, from, to })
}

/** Incidents that were unresolved at some time between `from` and `to`, latest first. */
export function* incidentsBetween(pageKey: PageKey, from: number, to: number): DbWork<readonly IncidentRow[]> {
  return yield* all(overlapping, { ...pageKey, since: from - MAX_DURATION_MS, from, to })
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

/** Up to `atMost` latest updates of each incident, newest first. */
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
  /** How long the monitor was paused in between. */
  readonly paused_ms: number
}

const outages = statement(({ orgId, num, from }: { orgId: string; num: number; from: number }) =>
  q
    .selectFrom('incidents')
    .select(['started_at', 'resolved_at', 'paused_ms'])
    .where('org_id', '=', orgId)
    .where('num', '=', num)
    .where('started_at', '>=', from)
    .orderBy('seq', 'desc')
    .limit(MAX_INCIDENTS),
)

/** Detected outages of a monitor, latest first. Without the cause, which is not public. */
export function* outagesOf(orgId: string, num: number, from: number): DbWork<readonly Outage[]> {
  return yield* all(outages, { orgId, num, from })
}

/** Detected outages of several monitors that overlap the time between `from` and `to`, latest first. */
export function* outagesBetween(
  orgId: string,
  nums: readonly number[],
  from: number,
  to: number,
): DbWork<readonly (Outage & { readonly num: number })[]> {
  if (nums.length === 0) return []
  return yield* execute(
    q
      .selectFrom('incidents')
      .select(['num', 'started_at', 'resolved_at', 'paused_ms'])
      .where('org_id', '=', orgId)
      .where('num', 'in', [...nums])
      .where('started_at', '<', to)
      .where((is) => is.or([is('resolved_at', 'is', null), is('resolved_at', '>', from)]))
      .orderBy('seq', 'desc')
      .limit(MAX_INCIDENTS),
  )
}
