import { sql } from 'kysely'
import { DAY_MS } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import { isoTimestamp } from '../lib/timestamp.ts'
import { allOf, insertBatch, sendAll } from '../storage/batch.ts'
import { addSeveralToList } from '../storage/list-index.ts'
import { all, type DbWork, notifyWatchers, q, runEach, statement } from '../storage/query.ts'
import { pruning } from '../storage/queue/prune.ts'
import type { EventType } from './types.ts'

/**
 * The outbox of webhooks. A change writes its event, and one pending delivery for each subscribed endpoint, in its own
 * transaction. The webhook sender claims due endpoints and sends their deliveries.
 */
/** A resource that has a mask in place of its heartbeat token, and the sealed token. */
export interface EventData {
  readonly json: string
  readonly heartbeatToken: string | null
}

interface OutboxEvent {
  readonly orgId: string
  readonly type: EventType
  /** JSON of the resource as the API returns it. A function is called only if an endpoint is subscribed. */
  readonly data: string | EventData | (() => DbWork<string | EventData>)
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
  const endpoints = yield* notifyAndLock(event)
  if (endpoints.length === 0) return
  yield* emitTo(endpoints, event, [typeof event.data === 'function' ? yield* event.data() : event.data])
}

/** Notifies the dashboard, and locks the endpoints that are subscribed. */
function* notifyAndLock({ orgId, type }: Pick<OutboxEvent, 'orgId' | 'type'>): DbWork<readonly LockedEndpoint[]> {
  yield* notifyWatchers({ orgId, kind: type.split('.', 1)[0] as string, id: null })
  return yield* all(subscribedEndpoints, { orgId, quotedType: `"${type}"` })
}

/**
 * Writes an event of one type about each of several resources, in a fixed number of statements. `render` returns their JSON;
 * it is called only if an endpoint is subscribed.
 */
export function* emitSeveral(
  event: Pick<OutboxEvent, 'orgId' | 'type' | 'now'>,
  render: () => readonly EventData[],
): DbWork<void> {
  const endpoints = yield* notifyAndLock(event)
  if (endpoints.length > 0) yield* emitTo(endpoints, event, render())
}

const insertEvent = insertBatch('events', {
  org_id: 'text',
  id: 'text',
  type: 'text',
  created_at: 'bigint',
  body: 'text',
  heartbeat_token: 'text',
})

const insertDelivery = insertBatch('webhook_deliveries', {
  org_id: 'text',
  id: 'text',
  seq: 'bigint',
  endpoint_id: 'text',
  event_id: 'text',
  event_type: 'text',
  status: 'text',
  attempt_count: 'bigint',
  next_attempt_at: 'bigint',
  created_at: 'bigint',
})

/** Writes an event with each of the data, and a delivery of it for each of these endpoints; returns the ids of the deliveries. */
export function* emitTo(
  endpoints: readonly LockedEndpoint[],
  { orgId, type, now }: Pick<OutboxEvent, 'orgId' | 'type' | 'now'>,
  data: readonly (string | EventData)[],
): DbWork<readonly string[]> {
  const events = data.map((of) => {
    const id = newId('evt', now)
    const { json, heartbeatToken } = typeof of === 'string' ? { json: of, heartbeatToken: null } : of
    // These exact bytes are signed and sent, with the heartbeat token (see openEvent).
    const body = `{"id":"${id}","type":"${type}","timestamp":"${isoTimestamp(now)}","data":${json}}`
    return { org_id: orgId, id, type, created_at: now, body, heartbeat_token: heartbeatToken }
  })
  // Travels with the deliveries.
  yield* sendAll(insertEvent, events)
  const seqs = yield* addSeveralToList(orgId, 'delivery', endpoints.length * events.length)
  const pairs = events.flatMap((event) =>
    endpoints.map((endpoint) => ({ event_id: event.id, endpoint_id: endpoint.id })),
  )
  const deliveries = pairs.map((pair, i) => ({
    ...pair,
    org_id: orgId,
    id: newId('dlv', now),
    seq: seqs[i] as number,
    event_type: type,
    status: 'PENDING' as const,
    attempt_count: 0,
    next_attempt_at: now,
    created_at: now,
  }))
  yield* allOf(insertDelivery, deliveries)
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

/** Deletes at most `limit` events that no delivery refers to any more, and returns their number. */
export const pruneEvents = pruning({
  table: 'events',
  key: ['org_id', 'id'],
  by: 'created_at',
  // One day longer than the deliveries (see webhooks/prune.ts).
  keptMs: 31 * DAY_MS,
})
