import { DAY_MS } from '../../lib/clock.ts'
import { removeFromList } from '../../storage/list-index.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'

const KEPT_MS = 30 * DAY_MS

/**
 * Deletes deliveries older than 30 days; returns how many. Those of a deleted endpoint were taken off the list when it was
 * deleted.
 */
export function* pruneDeliveries(now: number, limit: number): DbWork<number> {
  const deliveries = q.selectFrom('webhook_deliveries').select(['org_id', 'endpoint_id', 'id'])
  const old = yield* execute(
    deliveries
      .where('created_at', '<', now - KEPT_MS)
      .orderBy('created_at')
      .limit(limit),
  )
  const byEndpoint = Map.groupBy(old, (row) => `${row.org_id} ${row.endpoint_id}`)
  let count = 0
  // In one order in every transaction: two that lock the same endpoints cannot deadlock.
  for (const [, rows] of [...byEndpoint].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const { org_id: orgId, endpoint_id: endpointId } = rows[0] as (typeof rows)[number]
    const endpoint = q.selectFrom('webhook_endpoints').select('id').where('org_id', '=', orgId)
    const locked = yield* execute(endpoint.where('id', '=', endpointId).forUpdate())
    const ids = rows.map(({ id }) => id)
    const deleted = yield* deleteDeliveries(orgId, ids)
    if (locked.length > 0) yield* removeFromList(orgId, 'delivery', deleted)
    count += deleted
  }
  return count
}

/** Deletes deliveries with their attempts; returns how many still existed. */
function* deleteDeliveries(orgId: string, ids: readonly string[]): DbWork<number> {
  if (ids.length === 0) return 0
  // Deliveries first: a transaction that records an attempt has locked its delivery, so its attempt is deleted too.
  const deleted = yield* execute(
    q.deleteFrom('webhook_deliveries').where('org_id', '=', orgId).where('id', 'in', ids).returning('id'),
  )
  yield* execute(q.deleteFrom('webhook_attempts').where('org_id', '=', orgId).where('delivery_id', 'in', ids))
  return deleted.length
}

/** Deletes some of the deliveries of a deleted endpoint, and its tombstone after the last one. Returns how many rows: 0 if nothing is left. */
export function* pruneTombstones(limit: number): DbWork<number> {
  const tombstones = q.selectFrom('webhook_tombstones').select(['org_id', 'endpoint_id'])
  const [tombstone] = yield* execute(tombstones.limit(1))
  if (tombstone === undefined) return 0
  const { org_id: orgId, endpoint_id: id } = tombstone
  const deliveries = q.selectFrom('webhook_deliveries').select('id').where('org_id', '=', orgId)
  const rows = yield* execute(deliveries.where('endpoint_id', '=', id).orderBy('seq').limit(limit))
  yield* deleteDeliveries(
    orgId,
    rows.map((row) => row.id),
  )
  if (rows.length === limit) return rows.length
  yield* execute(q.deleteFrom('webhook_tombstones').where('org_id', '=', orgId).where('endpoint_id', '=', id))
  return rows.length + 1
}
