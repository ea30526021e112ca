import { operation } from '../../contract/operation.ts'
import { makeEndpointsDue } from '../../events/emit.ts'
import { shortenUrl } from '../../lib/mask.ts'
import type { Sealer } from '../../lib/seal.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import type { EndpointTable } from '../../storage/schema/webhooks.ts'
import { endpointOf, type LockedEndpointRow, lockEndpoint } from './queries.ts'
import { renderEndpoint } from './render.ts'
import { endpointFaults, ofEndpoint, UpdateWebhookEndpoint, WebhookEndpoint } from './schema.ts'
import { openUrl, sealUrl } from './secret.ts'

export const updateWebhookEndpoint = operation({
  ...ofEndpoint,
  id: 'updateWebhookEndpoint',
  method: 'PATCH',
  summary: 'Update a webhook endpoint',
  description:
    'Omitted fields keep their values. New event types apply to future events. Enabling an endpoint clears ' +
    '`disabledReason`.',
  body: UpdateWebhookEndpoint,
  refine: endpointFaults,
  answer: { status: 200, schema: WebhookEndpoint, description: 'The updated endpoint' },
  *handle(call, { params, body }) {
    const { orgId } = call.caller
    const before = yield* lockEndpoint(orgId, params.endpointId)
    const { description = before.description, eventTypes, enabled } = body
    const after = {
      url: nextUrl(orgId, before, body.url, call.installation.sealer),
      description,
      event_types: eventTypes === undefined ? before.event_types : JSON.stringify(eventTypes),
      enabled: enabled === undefined ? before.enabled : enabled ? 1 : 0,
    }
    const isChange = Object.entries(after).some(([column, value]) => before[column as keyof typeof after] !== value)
    if (isChange) yield* save(orgId, before.id, { ...after, updated_at: call.now })
    // The sender then sends the pending deliveries, or fails them.
    if (after.enabled !== before.enabled) yield* makeEndpointsDue(orgId, [before], call.now)
    if (enabled === true) yield* save(orgId, before.id, { disabled_reason: null, failing_since: null })
    return renderEndpoint(yield* endpointOf(orgId, before.id), call)
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
