import Type, { type Static } from 'typebox'
import { operation } from '../../contract/operation.ts'
import { resource } from '../../contract/schema.ts'
import { parseTimestamp } from '../../lib/timestamp.ts'
import { incidentOf } from '../../monitoring/incidents/queries.ts'
import { IncidentParams } from '../../monitoring/incidents/schema.ts'
import { type ListPage, listPage } from '../../storage/list-index.ts'
import { type DbWork, execute } from '../../storage/query.ts'
import { publishedIncidentOf, selectPublished, selectPublishedOn, withPagesAndUpdates } from './queries.ts'
import type { PublishedRow } from './render.ts'
import { PublishedIncident, PublishedIncidentPage, PublishedIncidentParams, PublishedIncidentQuery } from './schema.ts'

export const getPublishedIncident = operation({
  id: 'getPublishedIncident',
  method: 'GET',
  path: '/status-incidents/:statusIncidentId',
  access: 'read',
  tag: 'Published incidents',
  summary: 'Get a published incident',
  description: 'With all its updates, newest first.',
  params: PublishedIncidentParams,
  answer: { status: 200, schema: PublishedIncident, description: 'The published incident' },
  errors: ['not_found'],
  *handle({ caller }, { params }) {
    return yield* publishedIncidentOf(caller.orgId, params.statusIncidentId)
  },
})

export const listPublishedIncidents = operation({
  id: 'listPublishedIncidents',
  method: 'GET',
  path: '/status-incidents',
  access: 'read',
  tag: 'Published incidents',
  summary: 'List published incidents',
  description: 'Newest first.',
  query: PublishedIncidentQuery,
  answer: { status: 200, schema: PublishedIncidentPage, description: 'A page of published incidents' },
  *handle({ caller: { orgId } }, { query }) {
    const { limit, offset } = query
    const found = yield* findPublished(orgId, query)
    return { data: yield* withPagesAndUpdates(orgId, found.rows), pagination: { limit, offset, total: found.total } }
  },
})

function findPublished(
  orgId: string,
  { limit, offset, ...query }: Static<typeof PublishedIncidentQuery>,
): DbWork<ListPage<PublishedRow>> {
  const { status, impact, statusPageId, startedAfter, startedBefore } = query
  let matching = statusPageId === undefined ? selectPublished(orgId) : selectPublishedOn(orgId, statusPageId)
  if (status !== undefined) matching = matching.where('i.status', '=', status)
  if (impact !== undefined) matching = matching.where('i.impact', '=', impact)
  if (startedAfter !== undefined) matching = matching.where('i.started_at', '>', parseTimestamp(startedAfter))
  if (startedBefore !== undefined) matching = matching.where('i.started_at', '<', parseTimestamp(startedBefore))
  const isWhole = Object.keys(query).length === 0
  const newestFirst = matching.orderBy('i.seq', 'desc')
  return listPage(newestFirst, { limit, offset }, isWhole ? { orgId, kind: 'publishedincident' } : undefined)
}

const MAX_PUBLICATIONS = 20

export const listIncidentPublications = operation({
  id: 'listIncidentPublications',
  extension: true,
  method: 'GET',
  path: '/incidents/:incidentId/status-incidents',
  access: 'read',
  tag: 'Incidents',
  summary: 'List the published incidents that are linked to an incident',
  description: 'The published incidents that are linked to it.',
  params: IncidentParams,
  answer: {
    status: 200,
    schema: resource('IncidentPublications', { data: Type.Array(PublishedIncident) }),
    description: 'The published incidents with their updates, oldest first',
  },
  errors: ['not_found'],
  *handle({ caller: { orgId } }, { params: { incidentId } }) {
    yield* incidentOf(orgId, incidentId)
    const linked = selectPublished(orgId).where('i.incident_id', '=', incidentId).orderBy('i.id')
    const rows = yield* execute(linked.limit(MAX_PUBLICATIONS))
    return { data: yield* withPagesAndUpdates(orgId, rows) }
  },
})
