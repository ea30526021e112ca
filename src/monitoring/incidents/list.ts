import { sql } from 'kysely'
import type { Static } from 'typebox'
import { operation } from '../../contract/operation.ts'
import { readSelector } from '../../contract/selector.ts'
import { parseTimestamp } from '../../lib/timestamp.ts'
import { selectMonitors } from '../../storage/labels/select.ts'
import { type ListPage, listPage } from '../../storage/list-index.ts'
import type { DbWork } from '../../storage/query.ts'
import { incidentsOf } from './queries.ts'
import { type IncidentRow, renderIncident } from './render.ts'
import { IncidentPage, IncidentQuery } from './schema.ts'

type Query = Static<typeof IncidentQuery>

export const listIncidents = operation({
  id: 'listIncidents',
  method: 'GET',
  path: '/incidents',
  access: 'read',
  tag: 'Incidents',
  summary: 'List incidents',
  description: 'Newest first, ongoing and resolved.',
  query: IncidentQuery,
  answer: { status: 200, schema: IncidentPage, description: 'A page of incidents' },
  *handle({ caller: { orgId } }, { query }) {
    const { limit, offset } = query
    const found = yield* findIncidents(orgId, query)
    return { data: found.rows.map(renderIncident), pagination: { limit, offset, total: found.total } }
  },
})

function* findIncidents(orgId: string, { limit, offset, ...query }: Query): DbWork<ListPage<IncidentRow>> {
  let matching = incidentsOf(orgId).orderBy('i.seq', 'desc')
  if (query.status !== undefined) {
    matching = matching.where('i.resolved_at', query.status === 'ONGOING' ? 'is' : 'is not', null)
  }
  if (query.monitorId !== undefined) matching = matching.where('m.id', '=', query.monitorId)
  if (query.acknowledged !== undefined) {
    matching = matching.where('i.acknowledged_at', query.acknowledged ? 'is not' : 'is', null)
  }
  if (query.startedAfter !== undefined)
    matching = matching.where('i.started_at', '>', parseTimestamp(query.startedAfter))
  if (query.startedBefore !== undefined)
    matching = matching.where('i.started_at', '<', parseTimestamp(query.startedBefore))
  if (query.labels !== undefined) {
    const { atMost, nums } = yield* selectMonitors(orgId, readSelector(query.labels, 'labels'))
    if (atMost === 0) return { rows: [], total: 0 }
    matching = matching.where(sql<boolean>`i.num in (${nums})`)
  }
  const isWhole = Object.keys(query).length === 0
  return yield* listPage(matching, { limit, offset }, isWhole ? { orgId, kind: 'incident' } : undefined)
}
