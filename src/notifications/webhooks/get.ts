import { operation } from '../../contract/operation.ts'
import { endpointOf } from './queries.ts'
import { renderEndpoint } from './render.ts'
import { EndpointParams, WebhookEndpoint } from './schema.ts'

export const getWebhookEndpoint = operation({
  id: 'getWebhookEndpoint',
  method: 'GET',
  path: '/webhook-endpoints/:endpointId',
  access: 'read',
  tag: 'Webhooks',
  summary: 'Get a webhook endpoint',
  description: 'Its secret is shown only when it is created or rotated.',
  params: EndpointParams,
  answer: { status: 200, schema: WebhookEndpoint, description: 'The endpoint' },
  errors: ['not_found'],
  *handle(call, { params }) {
    return renderEndpoint(yield* endpointOf(call.caller.orgId, params.endpointId), call)
  },
})
