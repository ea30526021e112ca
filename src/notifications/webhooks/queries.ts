import { notFound } from '../../contract/errors.ts'
import type { Installation } from '../../contract/operation.ts'
import { maySeeHeartbeatUrl } from '../../contract/permissions.ts'
import { openEvent } from '../../events/heartbeat-token.ts'
import type { Caller } from '../../storage/database.ts'
import { cacheable, type DbWork, execute, first, q } from '../../storage/query.ts'
import type { EndpointTable } from '../../storage/schema/webhooks.ts'
import { type AttemptRow, type DeliveryRow, type EndpointRow, endpointColumns } from './render.ts'

/** A query builder, for lists whose filters depend on the request. */
export function endpointsOf(orgId: string) {
  return q.selectFrom('webhook_endpoints').select(endpointColumns).where('org_id', '=', orgId)
}

const endpointById = cacheable(({ orgId, id }: { orgId: string; id: string }) =>
  endpointsOf(orgId).where('id', '=', id),
)

export function* endpointOf(orgId: string, id: string): DbWork<EndpointRow> {
  const row = yield* first(endpointById, { orgId, id })
  if (row === undefined) throw notFound('webhook endpoint')
  return row
}

/** An endpoint that is locked until the end of the transaction. */
export type LockedEndpointRow = Pick<
  EndpointTable,
  keyof EndpointRow | 'secret' | 'previous_secret' | 'older_secrets' | 'due_at' | 'claimed_by'
>

/** Locks the endpoint until the end of the transaction, also against new deliveries, claims and deletion. */
export function* lockEndpoint(orgId: string, id: string): DbWork<LockedEndpointRow> {
  const endpoint = endpointsOf(orgId).select(['secret', 'previous_secret', 'older_secrets', 'due_at', 'claimed_by'])
  const [row] = yield* execute(endpoint.where('id', '=', id).forUpdate())
  if (row === undefined) throw notFound('webhook endpoint')
  return row
}

const deliveryColumns = [
  'd.id',
  'd.endpoint_id',
  'd.event_id',
  'd.event_type',
  'd.status',
  'd.attempt_count',
  'd.next_attempt_at',
  'd.last_response_status',
  'd.created_at',
  'd.completed_at',
] as const

/** Without the deliveries of deleted endpoints, which are pruned later (see remove.ts). */
export function deliveriesOf(orgId: string) {
  return q
    .selectFrom('webhook_deliveries as d')
    .select(deliveryColumns)
    .where('d.org_id', '=', orgId)
    .where((is) =>
      is.exists(
        is
          .selectFrom('webhook_endpoints as e')
          .select('e.id')
          .whereRef('e.org_id', '=', 'd.org_id')
          .whereRef('e.id', '=', 'd.endpoint_id'),
      ),
    )
}

/** A delivery with the body of its event, as this caller may see it. */
export function* deliveryOf(
  caller: Caller,
  id: string,
  { sealer }: Pick<Installation, 'sealer'>,
): DbWork<DeliveryRow & { readonly body: string }> {
  const withEvents = deliveriesOf(caller.orgId)
    .innerJoin('events as ev', (on) => on.onRef('ev.org_id', '=', 'd.org_id').onRef('ev.id', '=', 'd.event_id'))
    .select(['ev.body', 'ev.heartbeat_token'])
  const [row] = yield* execute(withEvents.where('d.id', '=', id))
  if (row === undefined) throw notFound('webhook delivery')
  return maySeeHeartbeatUrl(caller) ? { ...row, body: openEvent(caller.orgId, row, sealer) } : row
}

export function attemptsOf(orgId: string, deliveryId: string): DbWork<readonly AttemptRow[]> {
  return execute(
    q
      .selectFrom('webhook_attempts')
      .select(['id', 'number', 'trigger_kind', 'started_at', 'duration_ms', 'outcome'])
      .select(['response_status', 'response_body', 'error'])
      .where('org_id', '=', orgId)
      .where('delivery_id', '=', deliveryId)
      .orderBy('number'),
  )
}
