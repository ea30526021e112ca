import { operation } from '../../contract/operation.ts'
import { listPage } from '../../storage/list-index.ts'
import { endpointsOf } from './queries.ts'
import { renderEndpoint } from './render.ts'
import { EndpointQuery, WebhookEndpointPage } from './schema.ts'

export const listWebhookEndpoints = operation({
  id: 'listWebhookEndpoints',
  method: 'GET',
  path: '/webhook-endpoints',
  access: 'read',
  tag: 'Webhooks',
  summary: 'List webhook endpoints',
  description: 'In order of creation.',
  query: EndpointQuery,
  answer: { status: 200, schema: WebhookEndpointPage, description: 'A page of endpoints' },
  *handle(call, { query: { limit, offset, enabled } }) {
    const { orgId } = call.caller
    const whole = endpointsOf(orgId).orderBy('seq')
    const { rows, total } =
      enabled === undefined
        ? yield* listPage(whole, { limit, offset }, { orgId, kind: 'endpoint' })
        : yield* listPage(whole.where('enabled', '=', enabled ? 1 : 0), { limit, offset })
    return { data: rows.map((row) => renderEndpoint(row, call)), pagination: { limit, offset, total } }
  },
})
