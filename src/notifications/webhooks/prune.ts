import { DAY_MS } from '../../lib/clock.ts'
import { all, ask, first, q, run, statement, type Work } from '../../storage/query.ts'
import { strikeSeveral } from '../../storage/roster.ts'

const KEPT_MS = 30 * DAY_MS

const oldest = statement(({ before, limit }: { before: number; limit: number }) =>
  q
    .selectFrom('webhook_deliveries')
    .select(['org_id', 'endpoint_id', 'id'])
    .where('created_at', '<', before)
    .orderBy('created_at')
    .limit(limit),
)

interface Place {
  orgId: string
  id: string
}

const hold = statement(({ orgId, id }: Place) =>
  q.selectFrom('webhook_endpoints').select('id').where('org_id', '=', orgId).where('id', '=', id).forUpdate(),
)

/**
 * Removes deliveries that were kept long enough, those of one endpoint at a time; says how many. Of an endpoint that is
 * gone they are out of the list already.
 */
export function* pruneDeliveries(now: number, limit: number): Work<number> {
  const old = yield* all(oldest, { before: now - KEPT_MS, limit })
  const [eldest] = old
  if (eldest === undefined) return 0
  const { org_id: orgId, endpoint_id: endpointId } = eldest
  const ids = old.filter((row) => row.org_id === orgId && row.endpoint_id === endpointId).map(({ id }) => id)
  const isListed = (yield* first(hold, { orgId, id: endpointId })) !== undefined
  const gone = yield* dropDeliveries(orgId, ids)
  if (isListed) yield* strikeSeveral(orgId, 'delivery', gone)
  return gone.length
}

/** Removes deliveries with their attempts; gives the places of those that were still there. */
function* dropDeliveries(orgId: string, ids: readonly string[]): Work<readonly number[]> {
  if (ids.length === 0) return []
  // The deliveries first: an attempt that is being recorded meanwhile holds its own, and is seen once that is over.
  const gone = yield* ask(
    q.deleteFrom('webhook_deliveries').where('org_id', '=', orgId).where('id', 'in', ids).returning('seq'),
  )
  yield* ask(q.deleteFrom('webhook_attempts').where('org_id', '=', orgId).where('delivery_id', 'in', ids))
  return gone.map(({ seq }) => seq)
}

const someRemains = statement((_: object) => q.selectFrom('webhook_remains').select(['org_id', 'endpoint_id']).limit(1))

const leftBy = statement(({ orgId, id, limit }: Place & { limit: number }) =>
  q
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('org_id', '=', orgId)
    .where('endpoint_id', '=', id)
    .orderBy('seq')
    .limit(limit),
)

const forget = statement(({ orgId, id }: Place) =>
  q.deleteFrom('webhook_remains').where('org_id', '=', orgId).where('endpoint_id', '=', id),
)

/** Removes what deleted endpoints left behind, a few at a time; says how many. */
export function* pruneRemains(limit: number): Work<number> {
  const remains = yield* first(someRemains, {})
  if (remains === undefined) return 0
  const { org_id: orgId, endpoint_id: id } = remains
  const left = yield* all(leftBy, { orgId, id, limit })
  yield* dropDeliveries(
    orgId,
    left.map((row) => row.id),
  )
  if (left.length < limit) yield* run(forget, { orgId, id })
  return left.length
}
