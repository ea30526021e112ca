import { notFound } from '../../contract/errors.ts'
import { all, first, keepable, q, statement, type Work } from '../../storage/query.ts'
import type { AttemptRow, DeliveryRow, EndpointRow } from './render.ts'

interface Place {
  orgId: string
  id: string
}

const shownOfEndpoint = [
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

/** For lists whose filters come with the request. */
export function endpointsOf(orgId: string) {
  return q.selectFrom('webhook_endpoints').select(shownOfEndpoint).where('org_id', '=', orgId)
}

const endpointById = keepable(({ orgId, id }: Place) => endpointsOf(orgId).where('id', '=', id))

export function* endpointOf(orgId: string, id: string): Work<EndpointRow> {
  const row = yield* first(endpointById, { orgId, id })
  if (row === undefined) throw notFound('webhook endpoint')
  return row
}

/** What a change needs to know of an endpoint. */
export interface EndpointToChange extends EndpointRow {
  readonly seq: number
  readonly secret: string
  readonly due_at: number | null
  readonly claimed_by: string | null
}

const endpointForChange = statement(({ orgId, id }: Place) =>
  endpointsOf(orgId).select(['seq', 'secret', 'due_at', 'claimed_by']).where('id', '=', id).forUpdate(),
)

/** The endpoint, held until the end of the transaction: nobody sends to it, tells it anything or removes it meanwhile. */
export function* endpointToChange(orgId: string, id: string): Work<EndpointToChange> {
  const row = yield* first(endpointForChange, { orgId, id })
  if (row === undefined) throw notFound('webhook endpoint')
  return row
}

const shownOfDelivery = [
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

/** Deliveries of endpoints that are there: what a deleted one left behind is nobody's to see (see remove.ts). */
export function deliveriesOf(orgId: string) {
  return q
    .selectFrom('webhook_deliveries as d')
    .select(shownOfDelivery)
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

const deliveryById = statement(({ orgId, id }: Place) =>
  deliveriesOf(orgId)
    .innerJoin('events as ev', (on) => on.onRef('ev.org_id', '=', 'd.org_id').onRef('ev.id', '=', 'd.event_id'))
    .select('ev.body')
    .where('d.id', '=', id),
)

/** A delivery with the event that it delivers. */
export function* deliveryOf(orgId: string, id: string): Work<DeliveryRow & { readonly body: string }> {
  const row = yield* first(deliveryById, { orgId, id })
  if (row === undefined) throw notFound('webhook delivery')
  return row
}

const attempts = statement(({ orgId, id }: Place) =>
  q
    .selectFrom('webhook_attempts')
    .select(['id', 'number', 'trigger_kind', 'started_at', 'duration_ms', 'outcome'])
    .select(['response_status', 'response_body', 'error'])
    .where('org_id', '=', orgId)
    .where('delivery_id', '=', id)
    .orderBy('number'),
)

export function* attemptsOf(orgId: string, deliveryId: string): Work<readonly AttemptRow[]> {
  return yield* all(attempts, { orgId, id: deliveryId })
}
