import { sql } from 'kysely'
import type { Static } from 'typebox'
import { operation } from '../../contract/operation.ts'
import { parseTimestamp } from '../../lib/timestamp.ts'
import { type ListPage, newestFirst } from '../../storage/list-index.ts'
import { type DbWork, execute } from '../../storage/query.ts'
import { deliveriesOf } from './queries.ts'
import { type DeliveryRow, renderDelivery } from './render.ts'
import { DeliveryQuery, WebhookDeliveryPage } from './schema.ts'

type Query = Static<typeof DeliveryQuery>

export const listWebhookDeliveries = operation({
  id: 'listWebhookDeliveries',
  method: 'GET',
  path: '/webhook-deliveries',
  access: 'read',
  tag: 'Webhooks',
  summary: 'List webhook deliveries',
  description: 'Newest first. Deliveries are kept for 30 days or until their endpoint is deleted.',
  query: DeliveryQuery,
  answer: { status: 200, schema: WebhookDeliveryPage, description: 'A page of deliveries' },
  *handle({ caller: { orgId }, installation }, { query }) {
    const { limit, offset, ...filters } = query
    const found = Object.keys(filters).length === 0 ? yield* newest(orgId, query) : yield* filtered(orgId, query)
    const { maxAttempts } = installation.webhooks
    const data = found.rows.map((row) => renderDelivery(row, maxAttempts))
    return { data, pagination: { limit, offset, total: found.total } }
  },
})

function newest(orgId: string, query: Query): DbWork<ListPage<DeliveryRow>> {
  return newestFirst(orgId, 'delivery', query, ({ fromSeq, skip, limit }) =>
    execute(deliveriesOf(orgId).where('d.seq', '>=', fromSeq).orderBy('d.seq').limit(limit).offset(skip)),
  )
}

function* filtered(orgId: string, query: Query): DbWork<ListPage<DeliveryRow>> {
  let matching = deliveriesOf(orgId)
  if (query.endpointId !== undefined) matching = matching.where('d.endpoint_id', '=', query.endpointId)
  if (query.eventType !== undefined) matching = matching.where('d.event_type', '=', query.eventType)
  if (query.status !== undefined) matching = matching.where('d.status', '=', query.status)
  if (query.createdAfter !== undefined)
    matching = matching.where('d.created_at', '>', parseTimestamp(query.createdAfter))
  if (query.createdBefore !== undefined)
    matching = matching.where('d.created_at', '<', parseTimestamp(query.createdBefore))
  const [count] = yield* execute(matching.clearSelect().select(sql<number>`count(*)`.as('total')))
  const rows = yield* execute(matching.orderBy('d.seq', 'desc').limit(query.limit).offset(query.offset))
  return { rows, total: count?.total ?? 0 }
}
