import { notFound } from '../../contract/errors.ts'
import type { Installation } from '../../contract/operation.ts'
import { maySeeHeartbeatUrl } from '../../contract/permissions.ts'
import { openEvent } from '../../events/heartbeat-token.ts'
import type { Caller } from '../../storage/database.ts'
import { all, cacheable, type DbWork, first, q, statement } from '../../storage/query.ts'
import type { AttemptRow, DeliveryRow, EndpointRow } from './render.ts'

interface Key {
  orgId: string
  id: string
}

const endpointColumns = [
  'id',
  'url',
  'description',
  'event_types',
  'enabled',
  'disabled_reason',
  'previous_secret_expires_at',
  'last_delivery_at',
  'created_at',
  'updated_at',
] as const

/** A query builder, for lists whose filters depend on the request. */
export function endpointsOf(orgId: string) {
  return q.selectFrom('webhook_endpoints').select(endpointColumns).where('org_id', '=', orgId)
}

const endpointById = cacheable(({ orgId, id }: Key) => endpointsOf(orgId).where('id', '=', id))

export function* endpointOf(orgId: string, id: string): DbWork<EndpointRow> {
  const row = yield* first(endpointById, { orgId, id })
  if (row === undefined) throw notFound('webhook endpoint')
  return row
}

/** An endpoint that is locked until the end of the transaction. */
export interface LockedEndpointRow extends EndpointRow {
  readonly secret: string
  readonly previous_secret: string | null
  readonly older_secrets: string
  readonly due_at: number | null
  readonly claimed_by: string | null
}

const endpointForChange = statement(({ orgId, id }: Key) =>
  endpointsOf(orgId)
    .select(['secret', 'previous_secret', 'older_secrets', 'due_at', 'claimed_by'])
    .where('id', '=', id)
    .forUpdate(),
)

/** Locks the endpoint until the end of the transaction, also against new deliveries, claims and deletion. */
export function* lockEndpoint(orgId: string, id: string): DbWork<LockedEndpointRow> {
  const row = yield* first(endpointForChange, { orgId, id })
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

const deliveryById = statement(({ orgId, id }: Key) =>
  deliveriesOf(orgId)
    .innerJoin('events as ev', (on) => on.onRef('ev.org_id', '=', 'd.org_id').onRef('ev.id', '=', 'd.event_id'))
    .select(['ev.body', 'ev.heartbeat_token'])
    .where('d.id', '=', id),
)

/** A delivery with the body of its event, as this caller may see it. */
export function* deliveryOf(
  caller: Caller,
  id: string,
  { sealer }: Pick<Installation, 'sealer'>,
): DbWork<DeliveryRow & { readonly body: string }> {
  const row = yield* first(deliveryById, { orgId: caller.orgId, id })
  if (row === undefined) throw notFound('webhook delivery')
  return maySeeHeartbeatUrl(caller) ? { ...row, body: openEvent(caller.orgId, row, sealer) } : row
}

const attempts = statement(({ orgId, id }: Key) =>
  q
    .selectFrom('webhook_attempts')
    .select(['id', 'number', 'trigger_kind', 'started_at', 'duration_ms', 'outcome'])
    .select(['response_status', 'response_body', 'error'])
    .where('org_id', '=', orgId)
    .where('delivery_id', '=', id)
    .orderBy('number'),
)

export function* attemptsOf(orgId: string, deliveryId: string): DbWork<readonly AttemptRow[]> {
  return yield* all(attempts, { orgId, id: deliveryId })
}
