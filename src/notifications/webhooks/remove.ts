import { sql } from 'kysely'
import { operation } from '../../contract/operation.ts'
import { Deleted } from '../../contract/schema.ts'
import { removeFromList } from '../../storage/list-index.ts'
import { execute, q } from '../../storage/query.ts'
import { lockEndpoint } from './queries.ts'
import { ofEndpoint } from './schema.ts'

/**
 * An endpoint may have 100,000 deliveries. They are taken off the list here, and no query shows a delivery without its endpoint.
 * Their rows are deleted later, in small steps (see prune.ts). Transactions that add or prune deliveries lock the endpoint too,
 * so the count is exact.
 */
export const deleteWebhookEndpoint = operation({
  ...ofEndpoint,
  id: 'deleteWebhookEndpoint',
  method: 'DELETE',
  summary: 'Delete a webhook endpoint',
  description: 'Permanently deletes the endpoint with its deliveries.',
  answer: { status: 200, schema: Deleted, description: 'The id of the deleted resource' },
  *handle({ caller: { orgId } }, { params }) {
    const { id } = yield* lockEndpoint(orgId, params.endpointId)
    const deliveries = q.selectFrom('webhook_deliveries').where('org_id', '=', orgId).where('endpoint_id', '=', id)
    const [{ count } = { count: 0 }] = yield* execute(deliveries.select(sql<number>`count(*)`.as('count')))
    if (count > 0) {
      yield* removeFromList(orgId, 'delivery', count)
      yield* execute(q.insertInto('webhook_tombstones').values({ org_id: orgId, endpoint_id: id }))
    }
    yield* execute(q.deleteFrom('webhook_endpoints').where('org_id', '=', orgId).where('id', '=', id))
    yield* removeFromList(orgId, 'endpoint')
    return { data: { id } }
  },
})
