import Type from 'typebox'
import { operation } from '../../contract/operation.ts'
import { body, resource, TimestampInput } from '../../contract/schema.ts'
import { makeEndpointsDue } from '../../events/emit.ts'
import { parseTimestamp } from '../../lib/timestamp.ts'
import { execute, q } from '../../storage/query.ts'
import { lockEndpoint } from './queries.ts'
import { makeManualAttemptsDue, requireEnabled } from './retry.ts'
import { ofEndpoint } from './schema.ts'

/** Bounds the transaction. */
const MAX_RETRIES = 500

export const retryFailedDeliveries = operation({
  ...ofEndpoint,
  id: 'retryFailedDeliveries',
  extension: true,
  method: 'POST',
  path: '/webhook-endpoints/:endpointId/retry-failed',
  bulk: true,
  summary: 'Retry the failed deliveries of an endpoint',
  description: `Oldest first, at most ${MAX_RETRIES}, one attempt each. A disabled endpoint is a 409.`,
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
