import Type from 'typebox'
import { operation } from '../../contract/operation.ts'
import { body, resource, TimestampInput } from '../../contract/schema.ts'
import { makeEndpointsDue } from '../../events/emit.ts'
import { parseTimestamp } from '../../lib/timestamp.ts'
import { all, q, runEach, statement } from '../../storage/query.ts'
import { lockEndpoint } from './queries.ts'
import { makeManualAttemptDue, requireEnabled } from './retry.ts'
import { EndpointParams } from './schema.ts'

/** Bounds the transaction. */
const MAX_RETRIES = 500

const failedSince = statement(
  ({ orgId, endpointId, since, limit }: { orgId: string; endpointId: string; since: number; limit: number }) =>
    q
      .selectFrom('webhook_deliveries')
      .select('id')
      .where('org_id', '=', orgId)
      .where('endpoint_id', '=', endpointId)
      .where('status', '=', 'FAILED')
      .where('created_at', '>=', since)
      .orderBy('seq')
      .limit(limit),
)

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
    const range = { orgId, endpointId: endpoint.id, since: parseTimestamp(since), limit: MAX_RETRIES + 1 }
    const found = yield* all(failedSince, range)
    const taken = found.slice(0, MAX_RETRIES).map(({ id }) => ({ orgId, id, now }))
    const changes = yield* runEach(makeManualAttemptDue, taken)
    if (taken.length > 0) yield* makeEndpointsDue(orgId, [endpoint], now)
    return { retried: changes.reduce((sum, count) => sum + count, 0), more: found.length > MAX_RETRIES }
  },
})
