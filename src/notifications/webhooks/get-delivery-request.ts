import Type from 'typebox'
import { operation } from '../../contract/operation.ts'
import { nullable, resource } from '../../contract/schema.ts'
import { SECOND_MS } from '../../lib/clock.ts'
import { FIXED_HEADERS } from './deliver.ts'
import { attemptsOf, deliveryOf, endpointOf } from './queries.ts'
import { urlFor } from './render.ts'
import { ofDelivery } from './schema.ts'

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
  ...ofDelivery,
  id: 'getDeliveryRequest',
  extension: true,
  method: 'GET',
  path: '/webhook-deliveries/:deliveryId/request',
  summary: 'Get the request of a delivery',
  description: 'The headers and the body that are sent, without the signature.',
  answer: { status: 200, schema: DeliveryRequest, description: 'The request, without its signature' },
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
