import { ApiError } from '../../contract/errors.ts'
import { operation } from '../../contract/operation.ts'
import { Empty } from '../../contract/schema.ts'
import { makeEndpointsDue } from '../../events/emit.ts'
import { q, run, statement } from '../../storage/query.ts'
import { attemptsOf, deliveryOf, type LockedEndpointRow, lockEndpoint } from './queries.ts'
import { deliveryJson } from './render.ts'
import { DeliveryParams, WebhookDeliveryDetail } from './schema.ts'

/** The caller has locked the endpoint, and makes it due. */
export const makeManualAttemptDue = statement(({ orgId, id, now }: { orgId: string; id: string; now: number }) =>
  q
    .updateTable('webhook_deliveries')
    .set({ status: 'PENDING', manual: 1, next_attempt_at: now, completed_at: null })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('status', '!=', 'PENDING'),
)

export const retryWebhookDelivery = operation({
  id: 'retryWebhookDelivery',
  method: 'POST',
  path: '/webhook-deliveries/:deliveryId/retry',
  access: 'write',
  tag: 'Webhooks',
  summary: 'Retry a delivery',
  description:
    'Makes one attempt immediately, with the same event id. A delivery that is PENDING or whose endpoint is ' +
    'disabled is a 409.',
  params: DeliveryParams,
  body: Empty,
  bodyRequired: false,
  notifies: true,
  answer: { status: 200, schema: WebhookDeliveryDetail, description: 'The delivery, PENDING again' },
  errors: ['not_found', 'conflict'],
  *handle({ caller, now, installation }, { params }) {
    const { orgId } = caller
    const { id, status, endpoint_id: endpointId } = yield* deliveryOf(caller, params.deliveryId, installation)
    // Checked before the lock, so that a PENDING delivery is refused without waiting for the sender's transaction.
    if (status === 'PENDING') throw stillPending()
    const endpoint = yield* lockEndpoint(orgId, endpointId)
    requireEnabled(endpoint)
    if ((yield* run(makeManualAttemptDue, { orgId, id, now })) === 0) throw stillPending()
    yield* makeEndpointsDue(orgId, [endpoint], now)
    const delivery = yield* deliveryOf(caller, id, installation)
    return deliveryJson(delivery, yield* attemptsOf(orgId, id), installation.webhooks.maxAttempts)
  },
})

export function requireEnabled({ enabled }: LockedEndpointRow): void {
  if (enabled !== 1) throw new ApiError('conflict', 'The webhook endpoint is disabled; enable it first')
}

function stillPending(): ApiError {
  return new ApiError('conflict', 'The delivery is still under way; wait until it has succeeded or was given up')
}
