import { sql } from 'kysely'
import { operation } from '../../contract/operation.ts'
import { Deleted } from '../../contract/schema.ts'
import { isInBlock, removeCountedFromList, removeFromList } from '../../storage/list-index.ts'
import { all, q, run, statement } from '../../storage/query.ts'
import { lockEndpoint } from './queries.ts'
import { EndpointParams } from './schema.ts'

interface Key {
  orgId: string
  id: string
}

/** An index-only scan per block: a few milliseconds for 100,000 deliveries. */
const deliveriesByBlock = statement(({ orgId, id }: Key) =>
  q
    .selectFrom('list_blocks as b')
    .select(({ selectFrom }) => [
      'b.block',
      selectFrom('webhook_deliveries as d')
        .select(sql<number>`count(*)`.as('count'))
        .whereRef('d.org_id', '=', 'b.org_id')
        .where('d.endpoint_id', '=', id)
        .where(isInBlock)
        .$asScalar()
        .$notNull()
        .as('count'),
    ])
    .where('b.org_id', '=', orgId)
    .where('b.kind', '=', 'delivery'),
)

const deleteEndpoint = statement(({ orgId, id }: Key) =>
  q.deleteFrom('webhook_endpoints').where('org_id', '=', orgId).where('id', '=', id),
)

const addTombstone = statement(({ orgId, id }: Key) =>
  q.insertInto('webhook_tombstones').values({ org_id: orgId, endpoint_id: id }),
)

/**
 * An endpoint may have 100,000 deliveries. They are taken off the list here, counted block by block, and no query shows a
 * delivery without its endpoint. Their rows are deleted later, in small steps (see prune.ts). Transactions that add or
 * prune deliveries lock the endpoint too, so the count is exact.
 */
export const deleteWebhookEndpoint = operation({
  id: 'deleteWebhookEndpoint',
  method: 'DELETE',
  path: '/webhook-endpoints/:endpointId',
  access: 'write',
  tag: 'Webhooks',
  summary: 'Delete a webhook endpoint',
  description: 'Permanently deletes the endpoint with its deliveries.',
  params: EndpointParams,
  answer: { status: 200, schema: Deleted, description: 'The id of the deleted resource' },
  errors: ['not_found'],
  *handle({ caller: { orgId } }, { params }) {
    const { id, seq } = yield* lockEndpoint(orgId, params.endpointId)
    const blocks = (yield* all(deliveriesByBlock, { orgId, id })).filter(({ count }) => count > 0)
    if (blocks.length > 0) {
      yield* removeCountedFromList(orgId, 'delivery', blocks)
      yield* run(addTombstone, { orgId, id })
    }
    yield* run(deleteEndpoint, { orgId, id })
    yield* removeFromList(orgId, 'endpoint', seq)
    return { data: { id } }
  },
})
