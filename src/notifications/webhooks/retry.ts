import { ApiError } from '../../contract/errors.ts'
import { operation } from '../../contract/operation.ts'
import { Empty } from '../../contract/schema.ts'
import { makeEndpointsDue } from '../../events/emit.ts'
import { reason } from '../../reasons/reason.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { attemptsOf, deliveryOf, type LockedEndpointRow, lockEndpoint } from './queries.ts'
import { deliveryJson } from './render.ts'
import { ofDelivery, WebhookDeliveryDetail } from './schema.ts'

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
  ...ofDelivery,
  id: 'retryWebhookDelivery',
  method: 'POST',
  path: '/webhook-deliveries/:deliveryId/retry',
  access: 'write',
  summary: 'Retry a delivery',
  description:
    'Makes one attempt immediately, with the same event id. If it fails, a delivery that was PENDING waits for its next ' +
    'scheduled attempt as before. A 409 while an attempt is in progress, and if the endpoint is disabled.',
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

export function requireEnabled({ enabled }: LockedEndpointRow): void {
  if (enabled !== 1) throw new ApiError('conflict', reason('endpoint_disabled'))
}

/** The mark of a node that has lost its claim says nothing. */
function* requireNotSending(orgId: string, id: string, { claimed_by: claimedBy }: LockedEndpointRow): DbWork<void> {
  if (claimedBy === null) return
  const sender = q.selectFrom('webhook_deliveries').select('sending_by').where('org_id', '=', orgId)
  const [delivery] = yield* execute(sender.where('id', '=', id))
  if (delivery?.sending_by !== claimedBy) return
  throw new ApiError('conflict', reason('attempt_in_progress'))
}
