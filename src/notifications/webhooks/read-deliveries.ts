import Type, { type Static } from 'typebox'
import { operation } from '../../contract/operation.ts'
import { nullable, resource } from '../../contract/schema.ts'
import { SECOND_MS } from '../../lib/clock.ts'
import { parseTimestamp } from '../../lib/timestamp.ts'
import { type ListPage, listPage } from '../../storage/list-index.ts'
import type { DbWork } from '../../storage/query.ts'
import { FIXED_HEADERS } from './deliver.ts'
import { attemptsOf, deliveriesOf, deliveryOf, endpointOf } from './queries.ts'
import { type DeliveryRow, deliveryJson, renderDelivery, urlFor } from './render.ts'
import { DeliveryParams, DeliveryQuery, WebhookDeliveryDetail, WebhookDeliveryPage } from './schema.ts'

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

export const getWebhookDelivery = operation({
  id: 'getWebhookDelivery',
  method: 'GET',
  path: '/webhook-deliveries/:deliveryId',
  access: 'read',
  tag: 'Webhooks',
  summary: 'Get a delivery and its attempts',
  description: 'With its payload and all its attempts.',
  params: DeliveryParams,
  answer: { status: 200, schema: WebhookDeliveryDetail, description: 'The delivery with its event and its attempts' },
  errors: ['not_found'],
  *handle({ caller, installation }, { params }) {
    const delivery = yield* deliveryOf(caller, params.deliveryId, installation)
    return deliveryJson(delivery, yield* attemptsOf(caller.orgId, delivery.id), installation.webhooks.maxAttempts)
  },
})

const DeliveryRequest = resource('DeliveryRequest', {
  url: Type.String({ description: 'The current URL of the endpoint, shortened like that of the endpoint' }),
  headers: Type.Object(
    {
      'content-type': Type.String(),
      'user-agent': Type.String(),
      'webhook-id': Type.String({ description: 'The id of the event, the same for all attempts' }),
      'webhook-timestamp': nullable(Type.String(), {
        description: 'Time of the latest attempt, in seconds since 1970; null before the first',
      }),
    },
    {
      description:
        '`webhook-signature` is sent too: `v1,` and the base64 of the HMAC-SHA256 of `id.timestamp.body` with the ' +
        "endpoint's secret. It is computed for every attempt and not stored.",
    },
  ),
  body: Type.String({ description: 'The body as it is signed and sent' }),
})

export const getDeliveryRequest = operation({
  id: 'getDeliveryRequest',
  extension: true,
  method: 'GET',
  path: '/webhook-deliveries/:deliveryId/request',
  access: 'read',
  tag: 'Webhooks',
  summary: 'Get the request of a delivery',
  description: 'The headers and the body that are sent, without the signature.',
  params: DeliveryParams,
  answer: { status: 200, schema: DeliveryRequest, description: 'The request, without its signature' },
  errors: ['not_found'],
  *handle(call, { params }) {
    const { caller, installation } = call
    const { orgId } = caller
    const delivery = yield* deliveryOf(caller, params.deliveryId, installation)
    const { id, endpoint_id: endpointId, event_id: eventId, body } = delivery
    const latest = (yield* attemptsOf(orgId, id)).at(-1)
    return {
      url: urlFor(yield* endpointOf(orgId, endpointId), call),
      headers: {
        ...FIXED_HEADERS,
        'webhook-id': eventId,
        'webhook-timestamp': latest === undefined ? null : `${Math.floor(latest.started_at / SECOND_MS)}`,
      },
      body,
    }
  },
})
