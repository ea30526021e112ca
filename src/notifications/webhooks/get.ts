import { operation } from '../../contract/operation.ts'
import { endpointOf } from './queries.ts'
import { renderEndpoint } from './render.ts'
import { ofEndpoint, WebhookEndpoint } from './schema.ts'

export const getWebhookEndpoint = operation({
  ...ofEndpoint,
  id: 'getWebhookEndpoint',
  method: 'GET',
  access: 'read',
  summary: 'Get a webhook endpoint',
  description: 'Its secret is shown only when it is created or rotated.',
  answer: { status: 200, schema: WebhookEndpoint, description: 'The endpoint' },
  *handle(call, { params }) {
    return renderEndpoint(yield* endpointOf(call.caller.orgId, params.endpointId), call)
  },
})
