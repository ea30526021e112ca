import { operation } from '../../contract/operation.ts'
import { attemptsOf, deliveryOf } from './queries.ts'
import { deliveryJson } from './render.ts'
import { ofDelivery, WebhookDeliveryDetail } from './schema.ts'

export const getWebhookDelivery = operation({
  ...ofDelivery,
  id: 'getWebhookDelivery',
  method: 'GET',
  summary: 'Get a delivery and its attempts',
  description: 'With its payload and all its attempts.',
  answer: { status: 200, schema: WebhookDeliveryDetail, description: 'The delivery with its event and its attempts' },
  *handle({ caller, installation }, { params }) {
    const delivery = yield* deliveryOf(caller, params.deliveryId, installation)
    return deliveryJson(delivery, yield* attemptsOf(caller.orgId, delivery.id), installation.webhooks.maxAttempts)
  },
})
