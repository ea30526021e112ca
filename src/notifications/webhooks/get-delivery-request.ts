import Type from 'typebox'
import { appOperation } from '../../contract/app-operation.ts'
import { nullable, resource } from '../../contract/schema.ts'
import { SECOND_MS } from '../../lib/clock.ts'
import { FIXED_HEADERS } from './deliver.ts'
import { attemptsOf, deliveryOf, endpointOf } from './queries.ts'
import { DeliveryParams } from './schema.ts'

const DeliveryRequest = resource('DeliveryRequest', {
  url: Type.String({ description: 'Where the endpoint is now' }),
  headers: Type.Object(
    {
      'content-type': Type.String(),
      'user-agent': Type.String(),
      'webhook-id': Type.String({ description: 'The id of the event, the same over all attempts' }),
      'webhook-timestamp': nullable(Type.String(), {
        description: 'When the latest attempt was made, in seconds; null before the first',
      }),
    },
    {
      description:
        '`webhook-signature` is sent as well: `v1,` and the HMAC-SHA256 of `id.timestamp.body` with the secret of the ' +
        'endpoint in base64. It is made anew with every attempt and kept nowhere.',
    },
  ),
  body: Type.String({ description: 'The bytes that are signed and sent' }),
})

export const getDeliveryRequest = appOperation('getDeliveryRequest', {
  method: 'GET',
  path: '/webhook-deliveries/:deliveryId/request',
  access: 'read',
  tag: 'Webhooks',
  summary: 'Get what a delivery sends',
  params: DeliveryParams,
  answer: { status: 200, schema: DeliveryRequest, description: 'The request, without its signature' },
  errors: ['not_found'],
  *handle({ caller: { orgId } }, { params }) {
    const { id, endpoint_id: endpointId, event_id: eventId, body } = yield* deliveryOf(orgId, params.deliveryId)
    const latest = (yield* attemptsOf(orgId, id)).at(-1)
    return {
      url: (yield* endpointOf(orgId, endpointId)).url,
      headers: {
        ...FIXED_HEADERS,
        'webhook-id': eventId,
        'webhook-timestamp': latest === undefined ? null : `${Math.floor(latest.started_at / SECOND_MS)}`,
      },
      body,
    }
  },
})
