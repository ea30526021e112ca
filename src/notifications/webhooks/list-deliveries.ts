import type { Static } from 'typebox'
import { operation } from '../../contract/operation.ts'
import { parseTimestamp } from '../../lib/timestamp.ts'
import { type ListPage, listPage } from '../../storage/list-index.ts'
import type { DbWork } from '../../storage/query.ts'
import { deliveriesOf } from './queries.ts'
import { type DeliveryRow, renderDelivery } from './render.ts'
import { DeliveryQuery, WebhookDeliveryPage } from './schema.ts'

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
    const { limit, offset } = query
    const found = yield* findDeliveries(orgId, query)
    const { maxAttempts } = installation.webhooks
    const data = found.rows.map((row) => renderDelivery(row, maxAttempts))
    return { data, pagination: { limit, offset, total: found.total } }
  },
})

function findDeliveries(
  orgId: string,
  { limit, offset, ...query }: Static<typeof DeliveryQuery>,
): DbWork<ListPage<DeliveryRow>> {
  let matching = deliveriesOf(orgId).orderBy('d.seq', 'desc')
  if (query.endpointId !== undefined) matching = matching.where('d.endpoint_id', '=', query.endpointId)
  if (query.eventType !== undefined) matching = matching.where('d.event_type', '=', query.eventType)
  if (query.status !== undefined) matching = matching.where('d.status', '=', query.status)
  if (query.createdAfter !== undefined)
    matching = matching.where('d.created_at', '>', parseTimestamp(query.createdAfter))
  if (query.createdBefore !== undefined)
    matching = matching.where('d.created_at', '<', parseTimestamp(query.createdBefore))
  const isWhole = Object.keys(query).length === 0
  return listPage(matching, { limit, offset }, isWhole ? { orgId, kind: 'delivery' } : undefined)
}
