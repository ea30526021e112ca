import type { Static } from 'typebox'
import { operation } from '../../contract/operation.ts'
import { parseTimestamp } from '../../lib/timestamp.ts'
import { type ListPage, listPage } from '../../storage/list-index.ts'
import type { DbWork } from '../../storage/query.ts'
import { selectPublished, selectPublishedOn, withPagesAndUpdates } from './queries.ts'
import type { PublishedRow } from './render.ts'
import { PublishedIncidentPage, PublishedIncidentQuery } from './schema.ts'

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
