import { planLimitReached, planNamed } from '../../accounts/plans/plans.ts'
import { operation } from '../../contract/operation.ts'
import { newId } from '../../lib/ids.ts'
import { addToList } from '../../storage/list-index.ts'
import { execute, q } from '../../storage/query.ts'
import { endpointOf } from './queries.ts'
import { renderEndpoint } from './render.ts'
import { CreateWebhookEndpoint, endpointFaults, WebhookEndpointWithSecret } from './schema.ts'
import { newSecret, sealSecret, sealUrl } from './secret.ts'

export const createWebhookEndpoint = operation({
  id: 'createWebhookEndpoint',
  method: 'POST',
  path: '/webhook-endpoints',
  access: 'write',
  tag: 'Webhooks',
  summary: 'Create a webhook endpoint',
  description: 'The response contains the signing secret, which is not shown again.',
  body: CreateWebhookEndpoint,
  refine: endpointFaults,
  answer: { status: 201, schema: WebhookEndpointWithSecret, description: 'The new endpoint, with its secret' },
  errors: ['plan_limit'],
  *handle(call, { body }) {
    const { caller, now, installation } = call
    const { orgId } = caller
    const plan = planNamed(caller.plan)
    const { seq, live } = yield* addToList(orgId, 'endpoint')
    if (live > plan.webhookEndpoints) throw planLimitReached(plan, plan.webhookEndpoints, 'webhook endpoint')
    const id = newId('we', now)
    const secret = newSecret()
    yield* execute(
      q.insertInto('webhook_endpoints').values({
        org_id: orgId,
        id,
        seq,
        url: sealUrl(installation.sealer, orgId, id, body.url),
        description: body.description,
        event_types: JSON.stringify(body.eventTypes),
        enabled: body.enabled ? 1 : 0,
        secret: sealSecret(installation.sealer, orgId, id, secret),
        older_secrets: '[]',
        created_at: now,
        updated_at: now,
      }),
    )
    return { ...renderEndpoint(yield* endpointOf(orgId, id), call), secret }
  },
})
