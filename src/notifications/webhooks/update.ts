import { operation } from '../../contract/operation.ts'
import { makeEndpointsDue } from '../../events/emit.ts'
import { shortenUrl } from '../../lib/mask.ts'
import type { Sealer } from '../../lib/seal.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import type { EndpointTable } from '../../storage/schema/webhooks.ts'
import { endpointOf, type LockedEndpointRow, lockEndpoint } from './queries.ts'
import { renderEndpoint } from './render.ts'
import { endpointFaults } from './rules.ts'
import { EndpointParams, type EndpointPatch, UpdateWebhookEndpoint, WebhookEndpoint } from './schema.ts'
import { openUrl, sealUrl } from './secret.ts'

export const updateWebhookEndpoint = operation({
  id: 'updateWebhookEndpoint',
  method: 'PATCH',
  path: '/webhook-endpoints/:endpointId',
  access: 'write',
  tag: 'Webhooks',
  summary: 'Update a webhook endpoint',
  description:
    'Omitted fields keep their values. New event types apply to future events. Enabling an endpoint clears ' +
    '`disabledReason`.',
  params: EndpointParams,
  body: UpdateWebhookEndpoint,
  refine: endpointFaults,
  answer: { status: 200, schema: WebhookEndpoint, description: 'The updated endpoint' },
  errors: ['not_found'],
  *handle(call, { params, body }) {
    const { orgId } = call.caller
    const endpoint = yield* lockEndpoint(orgId, params.endpointId)
    const patch = { ...body, url: nextUrl(orgId, endpoint, body.url, call.installation.sealer) }
    if (isChange(endpoint, patch)) yield* apply(orgId, endpoint, patch, call.now)
    if (body.enabled === true) yield* save(orgId, endpoint.id, { disabled_reason: null, failing_since: null })
    return renderEndpoint(yield* endpointOf(orgId, endpoint.id), call)
  },
})

function* save(orgId: string, id: string, changed: Partial<EndpointTable>): DbWork<void> {
  yield* execute(q.updateTable('webhook_endpoints').set(changed).where('org_id', '=', orgId).where('id', '=', id))
}

/** Sealed: the stored one if the URL stays as it is, also if it was sent back as readers see it. */
function nextUrl(orgId: string, { id, url: sealed }: LockedEndpointRow, given: string | undefined, sealer: Sealer) {
  const stored = openUrl(sealer, orgId, id, sealed)
  const isKept = given === undefined || given === stored || (given.includes('…') && given === shortenUrl(stored))
  return isKept ? sealed : sealUrl(sealer, orgId, id, given)
}

function isChange(endpoint: LockedEndpointRow, { url, description, eventTypes, enabled }: EndpointPatch): boolean {
  return (
    (url ?? endpoint.url) !== endpoint.url ||
    (description === undefined ? endpoint.description : description) !== endpoint.description ||
    (eventTypes !== undefined && JSON.stringify(eventTypes) !== endpoint.event_types) ||
    (enabled !== undefined && enabled !== (endpoint.enabled === 1))
  )
}

function* apply(orgId: string, endpoint: LockedEndpointRow, patch: EndpointPatch, now: number): DbWork<void> {
  const { description = endpoint.description, enabled = endpoint.enabled === 1 } = patch
  const url = patch.url ?? endpoint.url
  const eventTypes = patch.eventTypes === undefined ? endpoint.event_types : JSON.stringify(patch.eventTypes)
  const changed = { url, description, event_types: eventTypes, enabled: enabled ? 1 : 0, updated_at: now }
  yield* save(orgId, endpoint.id, changed)
  // The sender then sends the pending deliveries, or fails them.
  if (enabled !== (endpoint.enabled === 1)) yield* makeEndpointsDue(orgId, [endpoint], now)
}
