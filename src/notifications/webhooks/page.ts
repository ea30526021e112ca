import type { KeyObject } from 'node:crypto'
import { sql } from 'kysely'
import type { Sealer } from '../../lib/seal.ts'
import type { Policy } from '../../outbound/addresses.ts'
import { webhookUrlFault } from '../../outbound/urls.ts'
import { all, first, q, statement, type Work } from '../../storage/query.ts'
import { openSecret, signingKey } from './secret.ts'

/** An endpoint as sending needs it. */
export interface Addressee {
  readonly url: string
  /** Why nothing may be sent there: the operator may have closed since what was open when it was made. */
  readonly urlFault: string | null
  /** What signs: the present secret and, for a while, the one before. */
  readonly keys: readonly KeyObject[]
}

/** A delivery that is due. */
export interface Parcel {
  readonly deliveryId: string
  readonly seq: number
  readonly eventId: string
  readonly attemptCount: number
  readonly manual: boolean
  readonly createdAt: number
  readonly dueAt: number
  /** The bytes to send. */
  readonly body: string
}

interface Place {
  orgId: string
  endpointId: string
}

const endpoint = statement(({ orgId, endpointId }: Place) =>
  q
    .selectFrom('webhook_endpoints')
    .select(['url', 'enabled', 'secret', 'previous_secret', 'previous_secret_expires_at'])
    .where('org_id', '=', orgId)
    .where('id', '=', endpointId),
)

export interface EndpointState {
  readonly url: string
  readonly enabled: number
  readonly secret: string
  readonly previous_secret: string | null
  readonly previous_secret_expires_at: number | null
}

/** Throws where a secret cannot be opened. */
export function addresseeOf(
  { orgId, endpointId }: Place,
  row: EndpointState,
  { sealer, policy, now }: { readonly sealer: Sealer; readonly policy: Policy; readonly now: number },
): Addressee {
  const { url, secret, previous_secret: previous, previous_secret_expires_at: until } = row
  const sealed = previous !== null && until !== null && until > now ? [secret, previous] : [secret]
  return {
    url,
    urlFault: webhookUrlFault(url, policy),
    keys: sealed.map((each) => signingKey(openSecret(sealer, orgId, endpointId, each))),
  }
}

/** Where the page before ended. */
export interface Cursor {
  readonly dueAt: number
  readonly seq: number
}

export const fromTheStart: Cursor = { dueAt: -1, seq: -1 }

function parcels() {
  return q
    .selectFrom('webhook_deliveries as d')
    .innerJoin('events as e', (on) => on.onRef('e.org_id', '=', 'd.org_id').onRef('e.id', '=', 'd.event_id'))
    .select([
      'd.id',
      'd.seq',
      'd.event_id',
      'd.attempt_count',
      'd.manual',
      'd.created_at',
      'd.next_attempt_at',
      'e.body',
    ])
}

interface Range extends Place {
  now: number
  dueAt: number
  seq: number
  limit: number
}

/** By the index, oldest first: it costs what the page costs, however many are waiting. */
const due = statement(({ orgId, endpointId, now, dueAt, seq, limit }: Range) =>
  parcels()
    .where('d.org_id', '=', orgId)
    .where('d.endpoint_id', '=', endpointId)
    .where('d.next_attempt_at', '<=', now)
    .where(sql<boolean>`(d.next_attempt_at, d.seq) > (${dueAt}, ${seq})`)
    .orderBy('d.next_attempt_at')
    .orderBy('d.seq')
    .limit(limit),
)

const asked = statement(({ orgId, endpointId }: Place) =>
  parcels()
    .where('d.org_id', '=', orgId)
    .where('d.endpoint_id', '=', endpointId)
    // Written into the text: with a parameter in its place the partial index would not be used.
    .where('d.manual', '=', sql.lit(1))
    .where('d.next_attempt_at', 'is not', null)
    .orderBy('d.seq')
    .limit(MOST_ASKED),
)

/** People click one at a time. */
const MOST_ASKED = 20

export interface Page {
  readonly endpoint: EndpointState
  /** What somebody asked for by hand; it goes before everything else. */
  readonly asked: readonly Parcel[]
  readonly due: readonly Parcel[]
}

/** The endpoint as it is now, and what is due to it; undefined if it is gone. */
export function* readPage(
  { orgId, endpointId }: Place,
  now: number,
  { dueAt, seq }: Cursor,
  limit: number,
): Work<Page | undefined> {
  const state = yield* first(endpoint, { orgId, endpointId })
  if (state === undefined) return undefined
  if (state.enabled === 0) return { endpoint: state, asked: [], due: [] }
  const byHand = yield* all(asked, { orgId, endpointId })
  const scheduled = yield* all(due, { orgId, endpointId, now, dueAt, seq, limit })
  return { endpoint: state, asked: byHand.map(parcelOf), due: scheduled.map(parcelOf) }
}

type Row = {
  id: string
  seq: number
  event_id: string
  attempt_count: number
  manual: number
  created_at: number
  next_attempt_at: number | null
  body: string
}

function parcelOf(row: Row): Parcel {
  return {
    deliveryId: row.id,
    seq: row.seq,
    eventId: row.event_id,
    attemptCount: row.attempt_count,
    manual: row.manual === 1,
    createdAt: row.created_at,
    dueAt: row.next_attempt_at ?? 0,
    body: row.body,
  }
}
