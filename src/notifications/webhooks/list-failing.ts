import { sql } from 'kysely'
import Type from 'typebox'
import { operation } from '../../contract/operation.ts'
import { nullable, oneOf, page, pageQuery, resource, Timestamp } from '../../contract/schema.ts'
import { isoTimestamp, isoTimestampOrNull } from '../../lib/timestamp.ts'
import { execute, q } from '../../storage/query.ts'
import { attemptErrors } from './schema.ts'

const FailingWebhookEndpoint = resource('FailingWebhookEndpoint', {
  endpointId: Type.String({ minLength: 1 }),
  failingSince: Timestamp,
  lastAttemptAt: Timestamp,
  error: oneOf(attemptErrors, { description: 'Of the last attempt' }),
  responseStatus: nullable(Type.Integer(), { description: 'HTTP status of the last attempt; null without a response' }),
  nextAttemptAt: nullable(Timestamp, { description: 'null if no delivery is pending' }),
})

export const listFailingWebhookEndpoints = operation({
  id: 'listFailingWebhookEndpoints',
  extension: true,
  method: 'GET',
  path: '/webhook-endpoints/failing',
  access: 'read',
  tag: 'Webhooks',
  summary: 'List failing webhook endpoints',
  description:
    'The enabled endpoints whose last attempt failed, the longest failing first. `failingSince` is the first failure since the ' +
    'last success.',
  query: Type.Object(pageQuery),
  answer: {
    status: 200,
    schema: page('FailingWebhookEndpointPage', FailingWebhookEndpoint),
    description: 'A page of failing endpoints',
  },
  *handle({ caller: { orgId } }, { query: { limit, offset } }) {
    const failing = q
      .selectFrom('webhook_endpoints as e')
      .where('e.org_id', '=', orgId)
      .where('e.enabled', '=', 1)
      .where('e.failing_since', 'is not', null)
    const [count] = yield* execute(failing.select(sql<number>`count(*)`.as('total')))
    const rows = yield* execute(
      failing
        .select(['e.id', 'e.failing_since', 'e.last_delivery_at', 'e.last_error', 'e.last_error_status'])
        .select(({ selectFrom }) =>
          selectFrom('webhook_deliveries as d')
            .select(({ fn }) => fn.min<number | null>('d.next_attempt_at').as('at'))
            .whereRef('d.org_id', '=', 'e.org_id')
            .whereRef('d.endpoint_id', '=', 'e.id')
            .where('d.next_attempt_at', 'is not', null)
            .as('next_attempt_at'),
        )
        .orderBy('e.failing_since')
        .orderBy('e.id')
        .limit(limit)
        .offset(offset),
    )
    const data = rows.map((row) => ({
      endpointId: row.id,
      failingSince: isoTimestamp(row.failing_since as number),
      lastAttemptAt: isoTimestamp(row.last_delivery_at as number),
      error: (row.last_error ?? 'STATUS') as (typeof attemptErrors)[number],
      responseStatus: row.last_error_status,
      nextAttemptAt: isoTimestampOrNull(row.next_attempt_at),
    }))
    return { data, pagination: { limit, offset, total: count?.total ?? 0 } }
  },
})
