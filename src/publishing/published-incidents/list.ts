import { sql } from 'kysely'
import type { Static } from 'typebox'
import { operation } from '../../contract/operation.ts'
import { parseTimestamp } from '../../lib/timestamp.ts'
import { type ListPage, newestFirst } from '../../storage/list-index.ts'
import { type DbWork, execute } from '../../storage/query.ts'
import { selectPublished, selectPublishedOn, withPagesAndUpdates } from './queries.ts'
import type { PublishedRow } from './render.ts'
import { PublishedIncidentPage, PublishedIncidentQuery } from './schema.ts'

type Query = Static<typeof PublishedIncidentQuery>

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
    const { limit, offset, ...filters } = query
    const found =
      Object.keys(filters).length === 0 ? yield* listNewest(orgId, query) : yield* listFiltered(orgId, query)
    return { data: yield* withPagesAndUpdates(orgId, found.rows), pagination: { limit, offset, total: found.total } }
  },
})

function listNewest(orgId: string, query: Query): DbWork<ListPage<PublishedRow>> {
  return newestFirst(orgId, 'publishedincident', query, ({ fromSeq, skip, limit }) =>
    execute(selectPublished(orgId).where('i.seq', '>=', fromSeq).orderBy('i.seq').limit(limit).offset(skip)),
  )
}

function* listFiltered(orgId: string, query: Query): DbWork<ListPage<PublishedRow>> {
  const { status, impact, statusPageId, startedAfter, startedBefore } = query
  let matching = statusPageId === undefined ? selectPublished(orgId) : selectPublishedOn(orgId, statusPageId)
  if (status !== undefined) matching = matching.where('i.status', '=', status)
  if (impact !== undefined) matching = matching.where('i.impact', '=', impact)
  if (startedAfter !== undefined) matching = matching.where('i.started_at', '>', parseTimestamp(startedAfter))
  if (startedBefore !== undefined) matching = matching.where('i.started_at', '<', parseTimestamp(startedBefore))
  const [count] = yield* execute(matching.clearSelect().select(sql<number>`count(*)`.as('total')))
  const rows = yield* execute(matching.orderBy('i.seq', 'desc').limit(query.limit).offset(query.offset))
  return { rows, total: count?.total ?? 0 }
}
