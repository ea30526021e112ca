import { operation } from '../../contract/operation.ts'
import { Empty } from '../../contract/schema.ts'
import { emitTo } from '../../events/emit.ts'
import { deliveryOf, lockEndpoint } from './queries.ts'
import { deliveryJson, endpointInEvent } from './render.ts'
import { requireEnabled } from './retry.ts'
import { EndpointParams, WebhookDeliveryDetail } from './schema.ts'

export const testWebhookEndpoint = operation({
  id: 'testWebhookEndpoint',
  method: 'POST',
  path: '/webhook-endpoints/:endpointId/test',
  access: 'write',
  tag: 'Webhooks',
  summary: 'Send a test event',
  description:
    'Sends `webhook.test` to this endpoint, independent of its event types. The response is the delivery, ' +
    'which is sent immediately; get it again to see its result. A disabled endpoint is a 409.',
  params: EndpointParams,
  body: Empty,
  bodyRequired: false,
  notifies: true,
  answer: { status: 200, schema: WebhookDeliveryDetail, description: 'The delivery of the test event' },
  errors: ['not_found', 'conflict'],
  *handle(call, { params }) {
    const { caller, now, installation } = call
    const { orgId } = caller
    const endpoint = yield* lockEndpoint(orgId, params.endpointId)
    requireEnabled(endpoint)
    const data = JSON.stringify(endpointInEvent(endpoint, call))
    const [deliveryId = ''] = yield* emitTo([endpoint], { orgId, type: 'webhook.test', now }, [data])
    return deliveryJson(yield* deliveryOf(caller, deliveryId, installation), [], installation.webhooks.maxAttempts)
  },
})
