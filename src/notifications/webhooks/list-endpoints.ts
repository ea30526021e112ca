import { sql } from 'kysely'
import type { Static } from 'typebox'
import { operation } from '../../contract/operation.ts'
import { countInList, seekInList } from '../../storage/list-index.ts'
import { type DbWork, execute } from '../../storage/query.ts'
import { endpointsOf } from './queries.ts'
import { type EndpointRow, renderEndpoint } from './render.ts'
import { EndpointQuery, WebhookEndpointPage } from './schema.ts'

export const listWebhookEndpoints = operation({
  id: 'listWebhookEndpoints',
  method: 'GET',
  path: '/webhook-endpoints',
  access: 'read',
  tag: 'Webhooks',
  summary: 'List webhook endpoints',
  description: 'In order of creation.',
  query: EndpointQuery,
  answer: { status: 200, schema: WebhookEndpointPage, description: 'A page of endpoints' },
  *handle(call, { query }) {
    const { orgId } = call.caller
    const { limit, offset } = query
    const { rows, total } = query.enabled === undefined ? yield* inOrder(orgId, query) : yield* filtered(orgId, query)
    return { data: rows.map((row) => renderEndpoint(row, call)), pagination: { limit, offset, total } }
  },
})

interface Found {
  readonly rows: readonly EndpointRow[]
  readonly total: number
}

type Query = Static<typeof EndpointQuery>

function* inOrder(orgId: string, { limit, offset }: Query): DbWork<Found> {
  const total = yield* countInList(orgId, 'endpoint')
  if (offset >= total) return { rows: [], total }
  const { fromSeq, skip } = yield* seekInList(orgId, 'endpoint', offset)
  const rows = yield* execute(endpointsOf(orgId).where('seq', '>=', fromSeq).orderBy('seq').limit(limit).offset(skip))
  return { rows, total }
}

function* filtered(orgId: string, { limit, offset, enabled }: Query): DbWork<Found> {
  const matching = endpointsOf(orgId).where('enabled', '=', enabled === true ? 1 : 0)
  const [count] = yield* execute(matching.clearSelect().select(sql<number>`count(*)`.as('total')))
  const rows = yield* execute(matching.orderBy('seq').limit(limit).offset(offset))
  return { rows, total: count?.total ?? 0 }
}
