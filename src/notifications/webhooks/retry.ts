import Type from 'typebox'
import { ApiError } from '../../contract/errors.ts'
import { operation } from '../../contract/operation.ts'
import { body, Empty, resource, TimestampInput } from '../../contract/schema.ts'
import { makeEndpointsDue } from '../../events/emit.ts'
import { parseTimestamp } from '../../lib/timestamp.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { attemptsOf, deliveryOf, type LockedEndpointRow, lockEndpoint } from './queries.ts'
import { deliveryJson } from './render.ts'
import { DeliveryParams, EndpointParams, WebhookDeliveryDetail } from './schema.ts'

const manualAttempts = (orgId: string, ids: readonly string[], now: number) =>
  q
    .updateTable('webhook_deliveries')
    .set({ status: 'PENDING', manual: 1, next_attempt_at: now, completed_at: null })
    .where('org_id', '=', orgId)
    .where('id', 'in', ids)

/**
 * Of deliveries that have succeeded or failed; returns how many. The caller has locked the endpoint, and makes it due.
 */
export function* makeManualAttemptsDue(orgId: string, ids: readonly string[], now: number): DbWork<number> {
  const made = manualAttempts(orgId, ids, now).set({ planned_at: null }).where('status', '!=', 'PENDING')
  return (yield* execute(made.returning('id'))).length
}

/** Of a delivery that waits. Its next scheduled attempt stays planned. One that is due as a manual attempt already stays as it is. */
function* advanceAttempt(orgId: string, id: string, now: number): DbWork<void> {
  const advanced = manualAttempts(orgId, [id], now).set(({ ref }) => ({ planned_at: ref('next_attempt_at') }))
  yield* execute(advanced.where('status', '=', 'PENDING').where('manual', '=', 0))
}

export const retryWebhookDelivery = operation({
  id: 'retryWebhookDelivery',
  method: 'POST',
  path: '/webhook-deliveries/:deliveryId/retry',
  access: 'write',
  tag: 'Webhooks',
  summary: 'Retry a delivery',
  description:
    'Makes one attempt immediately, with the same event id. If it fails, a delivery that was PENDING waits for its next ' +
    'scheduled attempt as before. A 409 while an attempt is in progress, and if the endpoint is disabled.',
  params: DeliveryParams,
  body: Empty,
  bodyRequired: false,
  notifies: true,
  answer: { status: 200, schema: WebhookDeliveryDetail, description: 'The delivery, PENDING again' },
  errors: ['not_found', 'conflict'],
  *handle({ caller, now, installation }, { params }) {
    const { orgId } = caller
    const { id, endpoint_id: endpointId } = yield* deliveryOf(caller, params.deliveryId, installation)
    // Recording an attempt locks the endpoint too, so the delivery cannot change during this transaction.
    const endpoint = yield* lockEndpoint(orgId, endpointId)
    requireEnabled(endpoint)
    yield* requireNotSending(orgId, id, endpoint)
    if ((yield* makeManualAttemptsDue(orgId, [id], now)) === 0) yield* advanceAttempt(orgId, id, now)
    yield* makeEndpointsDue(orgId, [endpoint], now)
    const delivery = yield* deliveryOf(caller, id, installation)
    return deliveryJson(delivery, yield* attemptsOf(orgId, id), installation.webhooks.maxAttempts)
  },
})

/** Bounds the transaction. */
const MAX_RETRIES = 500

export const retryFailedDeliveries = operation({
  id: 'retryFailedDeliveries',
  extension: true,
  method: 'POST',
  path: '/webhook-endpoints/:endpointId/retry-failed',
  access: 'write',
  tag: 'Webhooks',
  bulk: true,
  summary: 'Retry the failed deliveries of an endpoint',
  description: `Oldest first, at most ${MAX_RETRIES}, one attempt each. A disabled endpoint is a 409.`,
  params: EndpointParams,
  body: body('RetryFailed', { since: TimestampInput }),
  notifies: true,
  answer: {
    status: 200,
    schema: resource('RetriedFailed', {
      retried: Type.Integer({ description: 'Number of deliveries that are PENDING again' }),
      more: Type.Boolean({ description: 'More deliveries remain: repeat the request' }),
    }),
    description: 'The retried deliveries',
  },
  errors: ['not_found', 'conflict'],
  *handle({ caller: { orgId }, now }, { params, body: { since } }) {
    // Recording an attempt locks the endpoint too, so the statuses cannot change during this transaction.
    const endpoint = yield* lockEndpoint(orgId, params.endpointId)
    requireEnabled(endpoint)
    const failed = q
      .selectFrom('webhook_deliveries')
      .select('id')
      .where('org_id', '=', orgId)
      .where('endpoint_id', '=', endpoint.id)
      .where('status', '=', 'FAILED')
      .where('created_at', '>=', parseTimestamp(since))
    const found = yield* execute(failed.orderBy('seq').limit(MAX_RETRIES + 1))
    const taken = found.slice(0, MAX_RETRIES).map(({ id }) => id)
    if (taken.length === 0) return { retried: 0, more: false }
    const retried = yield* makeManualAttemptsDue(orgId, taken, now)
    yield* makeEndpointsDue(orgId, [endpoint], now)
    return { retried, more: found.length > MAX_RETRIES }
  },
})

export function requireEnabled({ enabled }: LockedEndpointRow): void {
  if (enabled !== 1) throw new ApiError('conflict', 'The webhook endpoint is disabled; enable it first')
}

/** The mark of a node that has lost its claim says nothing. */
function* requireNotSending(orgId: string, id: string, { claimed_by: claimedBy }: LockedEndpointRow): DbWork<void> {
  if (claimedBy === null) return
  const sender = q.selectFrom('webhook_deliveries').select('sending_by').where('org_id', '=', orgId)
  const [delivery] = yield* execute(sender.where('id', '=', id))
  if (delivery?.sending_by !== claimedBy) return
  throw new ApiError('conflict', 'An attempt is in progress; wait for its result')
}
