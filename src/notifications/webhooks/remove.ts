import { sql } from 'kysely'
import { operation } from '../../contract/operation.ts'
import { Deleted } from '../../contract/schema.ts'
import { all, q, run, statement } from '../../storage/query.ts'
import { isInBlock, strike, strikeCounted } from '../../storage/roster.ts'
import { endpointToChange } from './queries.ts'
import { EndpointParams } from './schema.ts'

interface Place {
  orgId: string
  id: string
}

/** Reads an index alone, block by block: a hundred thousand take a few milliseconds. */
const deliveriesByBlock = statement(({ orgId, id }: Place) =>
  q
    .selectFrom('roster_blocks as b')
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

const drop = statement(({ orgId, id }: Place) =>
  q.deleteFrom('webhook_endpoints').where('org_id', '=', orgId).where('id', '=', id),
)

const leaveRemains = statement(({ orgId, id }: Place) =>
  q.insertInto('webhook_remains').values({ org_id: orgId, endpoint_id: id }),
)

/**
 * An endpoint may have a hundred thousand deliveries. They leave the list with it, all at once: they are counted block
 * by block and struck, and no query shows a delivery whose endpoint is gone. The rows themselves go later, in small
 * steps (see prune.ts). Whoever adds or prunes a delivery holds the endpoint, so that the count is exact.
 */
export const deleteWebhookEndpoint = operation({
  id: 'deleteWebhookEndpoint',
  method: 'DELETE',
  path: '/webhook-endpoints/:endpointId',
  access: 'write',
  tag: 'Webhooks',
  summary: 'Delete a webhook endpoint',
  description: 'Permanently, with its deliveries. Nothing more is sent to it.',
  params: EndpointParams,
  answer: { status: 200, schema: Deleted, description: 'The id of what was deleted' },
  errors: ['not_found'],
  *handle({ caller: { orgId } }, { params }) {
    const { id, seq } = yield* endpointToChange(orgId, params.endpointId)
    const blocks = (yield* all(deliveriesByBlock, { orgId, id })).filter(({ count }) => count > 0)
    if (blocks.length > 0) {
      yield* strikeCounted(orgId, 'delivery', blocks)
      yield* run(leaveRemains, { orgId, id })
    }
    yield* run(drop, { orgId, id })
    yield* strike(orgId, 'endpoint', seq)
    return { data: { id } }
  },
})
