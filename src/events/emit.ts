import { sql } from 'kysely'
import { newId } from '../lib/ids.ts'
import { isoTimestamp } from '../lib/timestamp.ts'
import { addSeveralToList } from '../storage/list-index.ts'
import { all, type DbWork, notifyWatchers, q, runEach, send, statement } from '../storage/query.ts'
import type { EventType } from './types.ts'

/**
 * The outbox of webhooks. A change writes its event, and one pending delivery for each subscribed endpoint, in its own
 * transaction. The webhook sender claims due endpoints and sends their deliveries.
 */
interface OutboxEvent {
  readonly orgId: string
  readonly type: EventType
  /** JSON of the resource as the API returns it. A function is called only if an endpoint is subscribed. */
  readonly data: string | (() => DbWork<string>)
  readonly now: number
}

/** An endpoint whose row is locked until the end of the transaction. */
interface LockedEndpoint {
  readonly id: string
  readonly due_at: number | null
  readonly claimed_by: string | null
}

/** Subscribes an endpoint to all event types. */
export const ALL_EVENTS = '*'

/** `replace` instead of `like`: SQLite would prepare a `like` again for every value, at ten times the cost. */
function mentions(quotedType: string) {
  return sql<boolean>`replace(event_types, ${quotedType}, '') <> event_types`
}

/**
 * The enabled endpoints subscribed to a type, locked. The sender locks the same row before it decides that nothing is
 * left to send, so it cannot miss a delivery written here.
 */
const subscribedEndpoints = statement(({ orgId, quotedType }: { orgId: string; quotedType: string }) =>
  q
    .selectFrom('webhook_endpoints')
    .select(['id', 'due_at', 'claimed_by'])
    .where('org_id', '=', orgId)
    .where('enabled', '=', 1)
    .where((is) => is.or([is('event_types', '=', JSON.stringify([ALL_EVENTS])), mentions(quotedType)]))
    .orderBy('id')
    .forUpdate(),
)

/** Writes an event for all subscribed endpoints. If there are none, it runs one query and writes nothing. */
export function* emit(event: OutboxEvent): DbWork<void> {
  yield* notifyWatchers({ orgId: event.orgId, kind: event.type.split('.', 1)[0] as string, id: null })
  const endpoints = yield* all(subscribedEndpoints, { orgId: event.orgId, quotedType: `"${event.type}"` })
  if (endpoints.length > 0) yield* emitTo(endpoints, event)
}

interface NewEvent {
  orgId: string
  id: string
  type: string
  now: number
  body: string
}

const insertEvent = statement((e: NewEvent) =>
  q.insertInto('events').values({ org_id: e.orgId, id: e.id, type: e.type, created_at: e.now, body: e.body }),
)

interface NewDelivery {
  orgId: string
  id: string
  seq: number
  endpointId: string
  eventId: string
  type: string
  now: number
}

const insertDelivery = statement((d: NewDelivery) =>
  q.insertInto('webhook_deliveries').values({
    org_id: d.orgId,
    id: d.id,
    seq: d.seq,
    endpoint_id: d.endpointId,
    event_id: d.eventId,
    event_type: d.type,
    status: 'PENDING',
    attempt_count: 0,
    next_attempt_at: d.now,
    last_response_status: null,
    created_at: d.now,
    completed_at: null,
  }),
)

/** Writes the event and a delivery for each of these endpoints; returns the ids of the deliveries. */
export function* emitTo(endpoints: readonly LockedEndpoint[], event: OutboxEvent): DbWork<readonly string[]> {
  const { orgId, type, now } = event
  const eventId = newId('evt', now)
  const data = typeof event.data === 'string' ? event.data : yield* event.data()
  // These exact bytes are signed and sent.
  const body = `{"id":"${eventId}","type":"${type}","timestamp":"${isoTimestamp(now)}","data":${data}}`
  yield* send(insertEvent, { orgId, id: eventId, type, now, body })
  const seqs = yield* addSeveralToList(orgId, 'delivery', endpoints.length)
  const deliveries = endpoints.map(({ id: endpointId }, i) => {
    return { orgId, id: newId('dlv', now), seq: seqs[i] as number, endpointId, eventId, type, now }
  })
  yield* runEach(insertDelivery, deliveries)
  yield* makeEndpointsDue(orgId, endpoints, now)
  return deliveries.map(({ id }) => id)
}

const makeDue = statement(({ orgId, id, now }: { orgId: string; id: string; now: number }) =>
  q.updateTable('webhook_endpoints').set({ due_at: now }).where('org_id', '=', orgId).where('id', '=', id),
)

/** Makes locked endpoints due for the sender. Endpoints that are due or claimed already are left as they are. */
export function* makeEndpointsDue(orgId: string, endpoints: readonly LockedEndpoint[], now: number): DbWork<void> {
  const notDue = endpoints.filter(
    ({ due_at: dueAt, claimed_by: claimedBy }) => claimedBy === null && (dueAt === null || dueAt > now),
  )
  yield* runEach(
    makeDue,
    notDue.map(({ id }) => ({ orgId, id, now })),
  )
}
