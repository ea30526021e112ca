import { sql } from 'kysely'
import { newId } from '../lib/ids.ts'
import { isoTimestamp } from '../lib/timestamp.ts'
import { addSeveralToList } from '../storage/list-index.ts'
import { all, type DbWork, notifyWatchers, q, run, runEach, statement } from '../storage/query.ts'
import type { EventType } from './types.ts'

/** Something that happened, to be told in the transaction in which it happens. */
export interface OutboxEvent {
  readonly orgId: string
  readonly type: EventType
  /** The resource as the API returns it, as JSON; where making it costs something, how to make it. */
  readonly data: string | (() => DbWork<string>)
  readonly now: number
}

/** An endpoint that is to be told, held until the end of the transaction. */
export interface LockedEndpoint {
  readonly id: string
  readonly due_at: number | null
  readonly claimed_by: string | null
}

/** What stands in place of names where an endpoint wants to hear of everything. */
export const ALL_EVENTS = '*'

/** Both engines know `replace`; of a `like` SQLite makes a new plan for every other value, at ten times the cost. */
function mentions(named: string) {
  return sql<boolean>`replace(event_types, ${named}, '') <> event_types`
}

/**
 * The endpoints that want to hear of it, and nobody else's to change until the end of the transaction. Whoever sends to
 * an endpoint takes the same lock before it looks for what is left to send, so it cannot miss what is written here.
 */
const subscribed = statement(({ orgId, named }: { orgId: string; named: string }) =>
  q
    .selectFrom('webhook_endpoints')
    .select(['id', 'due_at', 'claimed_by'])
    .where('org_id', '=', orgId)
    .where('enabled', '=', 1)
    .where((is) => is.or([is('event_types', '=', JSON.stringify([ALL_EVENTS])), mentions(named)]))
    .orderBy('id')
    .forUpdate(),
)

/** Tells every endpoint that wants to hear of it. Where there is none this is one look and nothing is written. */
export function* emit(event: OutboxEvent): DbWork<void> {
  yield* notifyWatchers({ orgId: event.orgId, kind: event.type.split('.', 1)[0] as string, id: null })
  const recipients = yield* all(subscribed, { orgId: event.orgId, named: `"${event.type}"` })
  if (recipients.length > 0) yield* emitTo(recipients, event)
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

/** Writes the event and a delivery for each of these endpoints; gives the ids of the deliveries. */
export function* emitTo(recipients: readonly LockedEndpoint[], event: OutboxEvent): DbWork<readonly string[]> {
  const { orgId, type, now } = event
  const eventId = newId('evt', now)
  const data = typeof event.data === 'string' ? event.data : yield* event.data()
  // These are the very bytes that are signed and sent, so they are made once.
  const body = `{"id":"${eventId}","type":"${type}","timestamp":"${isoTimestamp(now)}","data":${data}}`
  yield* run(insertEvent, { orgId, id: eventId, type, now, body })
  const seqs = yield* addSeveralToList(orgId, 'delivery', recipients.length)
  const deliveries = recipients.map(({ id: endpointId }, i) => {
    return { orgId, id: newId('dlv', now), seq: seqs[i] as number, endpointId, eventId, type, now }
  })
  yield* runEach(insertDelivery, deliveries)
  yield* makeEndpointsDue(orgId, recipients, now)
  return deliveries.map(({ id }) => id)
}

const makeDue = statement(({ orgId, id, now }: { orgId: string; id: string; now: number }) =>
  q.updateTable('webhook_endpoints').set({ due_at: now }).where('org_id', '=', orgId).where('id', '=', id),
)

/**
 * Has the sender look at endpoints whose rows this transaction holds. Those that are due already, or that somebody is
 * sending to, will be looked at anyway.
 */
export function* makeEndpointsDue(orgId: string, recipients: readonly LockedEndpoint[], now: number): DbWork<void> {
  const resting = recipients.filter(
    ({ due_at: dueAt, claimed_by: by }) => by === null && (dueAt === null || dueAt > now),
  )
  yield* runEach(
    makeDue,
    resting.map(({ id }) => ({ orgId, id, now })),
  )
}
