import Type from 'typebox'
import { appOperation } from '../../contract/app-operation.ts'
import { body, Moment, resource } from '../../contract/schema.ts'
import { wake } from '../../events/emit.ts'
import { all, q, runEach, statement } from '../../storage/query.ts'
import { endpointToChange } from './queries.ts'
import { requireEnabled, tryOnceMore } from './retry.ts'
import { EndpointParams } from './schema.ts'

/** A transaction must stay small. */
const MOST_AT_ONCE = 500

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

export const retryFailedDeliveries = appOperation('retryFailedDeliveries', {
  method: 'POST',
  path: '/webhook-endpoints/:endpointId/retry-failed',
  access: 'write',
  tag: 'Webhooks',
  summary: 'Retry the deliveries of an endpoint that failed since a moment',
  description:
    `The oldest first, ${MOST_AT_ONCE} at most: one attempt each, as a retry of a single delivery makes it. A disabled endpoint is a ` +
    '409.',
  params: EndpointParams,
  body: body('RetryFailed', { since: Moment }),
  answer: {
    status: 200,
    schema: resource('RetriedFailed', {
      retried: Type.Integer({ description: 'How many are PENDING again' }),
      more: Type.Boolean({ description: 'There are more than were taken at once: ask again' }),
    }),
    description: 'What is tried again',
  },
  errors: ['not_found', 'conflict'],
  *handle({ caller: { orgId }, now }, { params, body: { since } }) {
    // Whoever settles a delivery holds the endpoint: what has failed stays so until the end of the transaction.
    const endpoint = yield* endpointToChange(orgId, params.endpointId)
    requireEnabled(endpoint)
    const range = { orgId, endpointId: endpoint.id, since: Date.parse(since), limit: MOST_AT_ONCE + 1 }
    const found = yield* all(failedSince, range)
    const taken = found.slice(0, MOST_AT_ONCE).map(({ id }) => ({ orgId, id, now }))
    const changes = yield* runEach(tryOnceMore, taken)
    if (taken.length > 0) yield* wake(orgId, [endpoint], now)
    return { retried: changes.reduce((sum, count) => sum + count, 0), more: found.length > MOST_AT_ONCE }
  },
})
