import { sql } from 'kysely'
import { DAY_MS } from '../../../lib/clock.ts'
import { type DbWork, execute, q } from '../../../storage/query.ts'
import type { PublishedUpdateTable } from '../../../storage/schema/status-pages.ts'
import type { PageKey } from '../../custom-domains/claims.ts'
import { selectPublishedOn } from '../../published-incidents/queries.ts'
import type { PublishedRow } from '../../published-incidents/render.ts'

/** Per list. */
export const MAX_INCIDENTS = 50

type Incidents = DbWork<readonly PublishedRow[]>

const latestFirst = ({ orgId, pageId }: PageKey) =>
  selectPublishedOn(orgId, pageId).orderBy('i.started_at', 'desc').orderBy('i.seq', 'desc')

export function activeIncidents({ orgId, pageId }: PageKey): Incidents {
  return execute(
    selectPublishedOn(orgId, pageId)
      .where('i.resolved_at', 'is', null)
      // `+ 0` keeps SQLite from sorting by the index on started_at, which would scan all resolved incidents.
      .orderBy(sql`i.started_at + 0`, 'desc')
      .orderBy('i.seq', 'desc')
      .limit(MAX_INCIDENTS),
  )
}

/** Latest first. Reads one more than MAX_INCIDENTS, which tells that there are more. */
export function incidentsStarted(pageKey: PageKey, from: number, to: number): Incidents {
  const started = latestFirst(pageKey).where('i.started_at', '>=', from).where('i.started_at', '<', to)
  return execute(started.limit(MAX_INCIDENTS + 1))
}

/** Incidents that lasted longer than this are not found on the days after. */
const MAX_DURATION_MS = 60 * DAY_MS

/** Incidents that were unresolved at some time between `from` and `to`, latest first. */
export function incidentsBetween(pageKey: PageKey, from: number, to: number): Incidents {
  return execute(
    latestFirst(pageKey)
      .where('i.started_at', '<', to)
      .where('i.started_at', '>=', from - MAX_DURATION_MS)
      .where((is) => is.or([is('i.resolved_at', 'is', null), is('i.resolved_at', '>=', from)]))
      .limit(MAX_INCIDENTS),
  )
}

export function* incidentOf({ orgId, pageId }: PageKey, id: string): DbWork<PublishedRow | undefined> {
  return (yield* execute(selectPublishedOn(orgId, pageId).where('i.id', '=', id)))[0]
}

export function incidentsOfMonitor(pageKey: PageKey, num: number, from: number): Incidents {
  return execute(
    latestFirst(pageKey)
      .innerJoin('published_incident_monitors as m', (on) =>
        on.onRef('m.org_id', '=', 'i.org_id').onRef('m.published_id', '=', 'i.id'),
      )
      .where('m.num', '=', num)
      .where('i.started_at', '>=', from)
      .limit(MAX_INCIDENTS),
  )
}

export function* earliestIncidentAt({ orgId, pageId }: PageKey): DbWork<number | undefined> {
  return (yield* execute(selectPublishedOn(orgId, pageId).orderBy('i.started_at').limit(1)))[0]?.started_at
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
  readonly num: number
  readonly started_at: number
  readonly resolved_at: number | null
  /** How long the monitor was paused in between. */
  readonly paused_ms: number
}

/** Without the cause, which is not public. */
const latestOutages = (orgId: string) =>
  q
    .selectFrom('incidents')
    .select(['num', 'started_at', 'resolved_at', 'paused_ms'])
    .where('org_id', '=', orgId)
    .orderBy('seq', 'desc')
    .limit(MAX_INCIDENTS)

/** Detected outages of a monitor, latest first. */
export function outagesOf(orgId: string, num: number, from: number): DbWork<readonly Outage[]> {
  return execute(latestOutages(orgId).where('num', '=', num).where('started_at', '>=', from))
}

/** Detected outages of several monitors that overlap the time between `from` and `to`, latest first. */
export function* outagesBetween(
  orgId: string,
  nums: readonly number[],
  from: number,
  to: number,
): DbWork<readonly Outage[]> {
  if (nums.length === 0) return []
  return yield* execute(
    latestOutages(orgId)
      .where('num', 'in', [...nums])
      .where('started_at', '<', to)
      .where((is) => is.or([is('resolved_at', 'is', null), is('resolved_at', '>', from)])),
  )
}
