import { operation } from '../../contract/operation.ts'
import { Empty } from '../../contract/schema.ts'
import { emitTo } from '../../events/emit.ts'
import { shortenUrl } from '../../lib/mask.ts'
import { deliveryOf, lockEndpoint } from './queries.ts'
import { deliveryJson, renderEndpoint } from './render.ts'
import { requireEnabled } from './retry.ts'
import { ofEndpoint, WebhookDeliveryDetail } from './schema.ts'
import { openUrl } from './secret.ts'

export const testWebhookEndpoint = operation({
  ...ofEndpoint,
  id: 'testWebhookEndpoint',
  method: 'POST',
  path: '/webhook-endpoints/:endpointId/test',
  summary: 'Send a test event',
  description:
    'Sends `webhook.test` to this endpoint, independent of its event types. The response is the delivery, ' +
    'which is sent immediately; get it again to see its result. A disabled endpoint is a 409.',
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
    const url = shortenUrl(openUrl(installation.sealer, orgId, endpoint.id, endpoint.url))
    const data = JSON.stringify(renderEndpoint(endpoint, call, url))
    const [deliveryId = ''] = yield* emitTo([endpoint], { orgId, type: 'webhook.test', now }, [data])
    return deliveryJson(yield* deliveryOf(caller, deliveryId, installation), [], installation.webhooks.maxAttempts)
  },
})
