import type { KeyObject } from 'node:crypto'
import { sql } from 'kysely'
import { openEvent } from '../../events/heartbeat-token.ts'
import type { Sealer } from '../../lib/seal.ts'
import type { AddressPolicy } from '../../outbound/address-policy.ts'
import { webhookUrlProblem } from '../../outbound/urls.ts'
import { all, type DbWork, first, q, statement } from '../../storage/query.ts'
import { earlierSecrets, openSecret, openUrl, signingKey } from './secret.ts'

/** What sending needs to know of an endpoint. */
export interface Endpoint {
  readonly url: string
  /** Why nothing may be sent there: the operator's address policy may be stricter than when the endpoint was created. */
  readonly urlProblem: string | null
  /** The present secret and the earlier ones that have not expired. Each makes a signature. */
  readonly keys: readonly KeyObject[]
}

/** A delivery with an attempt that is due. */
export interface DueDelivery {
  readonly deliveryId: string
  readonly seq: number
  readonly eventId: string
  readonly attemptCount: number
  /** Manual attempts among `attemptCount`. */
  readonly manualCount: number
  /** Somebody asked for this attempt. */
  readonly manual: boolean
  /** When the scheduled attempt is due that a manual one comes before. */
  readonly plannedAt: number | null
  readonly createdAt: number
  readonly dueAt: number
  /** The bytes to send. */
  readonly body: string
}

interface Key {
  orgId: string
  endpointId: string
}

const endpointById = statement(({ orgId, endpointId }: Key) =>
  q
    .selectFrom('webhook_endpoints')
    .select(['url', 'enabled', 'secret', 'previous_secret', 'previous_secret_expires_at', 'older_secrets'])
    .where('org_id', '=', orgId)
    .where('id', '=', endpointId),
)

export interface EndpointRow {
  readonly url: string
  readonly enabled: number
  readonly secret: string
  readonly previous_secret: string | null
  readonly previous_secret_expires_at: number | null
  readonly older_secrets: string
}

/** Throws if the URL or a secret cannot be unsealed. */
export function endpointOf(
  { orgId, endpointId }: Key,
  row: EndpointRow,
  { sealer, policy, now }: { readonly sealer: Sealer; readonly policy: AddressPolicy; readonly now: number },
): Endpoint {
  const { secret } = row
  const url = openUrl(sealer, orgId, endpointId, row.url)
  const sealed = [secret, ...earlierSecrets(row, now).map((earlier) => earlier.secret)]
  return {
    url,
    urlProblem: webhookUrlProblem(url, policy),
    keys: sealed.map((each) => signingKey(openSecret(sealer, orgId, endpointId, each))),
  }
}

/** The position of the last delivery of a page. */
export interface Cursor {
  readonly dueAt: number
  readonly seq: number
}

export const START: Cursor = { dueAt: -1, seq: -1 }

function deliveries() {
  return q
    .selectFrom('webhook_deliveries as d')
    .innerJoin('events as e', (on) => on.onRef('e.org_id', '=', 'd.org_id').onRef('e.id', '=', 'd.event_id'))
    .select([
      'd.id',
      'd.seq',
      'd.event_id',
      'd.attempt_count',
      'd.manual',
      'd.manual_count',
      'd.planned_at',
      'd.created_at',
      'd.next_attempt_at',
      'e.body',
      'e.heartbeat_token',
    ])
}

interface Range extends Key {
  now: number
  dueAt: number
  seq: number
  limit: number
}

/** In the order of the index, so the cost depends on the page and not on the number of pending deliveries. */
const scheduledAfter = statement(({ orgId, endpointId, now, dueAt, seq, limit }: Range) =>
  deliveries()
    .where('d.org_id', '=', orgId)
    .where('d.endpoint_id', '=', endpointId)
    .where('d.next_attempt_at', '<=', now)
    .where(sql<boolean>`(d.next_attempt_at, d.seq) > (${dueAt}, ${seq})`)
    .orderBy('d.next_attempt_at')
    .orderBy('d.seq')
    .limit(limit),
)

const MAX_MANUAL = 20

const manualOf = statement(({ orgId, endpointId }: Key) =>
  deliveries()
    .where('d.org_id', '=', orgId)
    .where('d.endpoint_id', '=', endpointId)
    // A literal: with a parameter the partial index would not be used.
    .where('d.manual', '=', sql.lit(1))
    .where('d.next_attempt_at', 'is not', null)
    .orderBy('d.seq')
    .limit(MAX_MANUAL),
)

export interface DuePage {
  readonly endpoint: EndpointRow
  /** Sent before everything else. */
  readonly manual: readonly DueDelivery[]
  readonly scheduled: readonly DueDelivery[]
}

/** The endpoint as it is now, and its next due deliveries after the cursor; undefined if the endpoint is deleted. */
export function* readDue(
  { orgId, endpointId }: Key,
  now: number,
  { dueAt, seq }: Cursor,
  limit: number,
  sealer: Sealer,
): DbWork<DuePage | undefined> {
  const endpoint = yield* first(endpointById, { orgId, endpointId })
  if (endpoint === undefined) return undefined
  if (endpoint.enabled === 0) return { endpoint, manual: [], scheduled: [] }
  const manual = yield* all(manualOf, { orgId, endpointId })
  const scheduled = yield* all(scheduledAfter, { orgId, endpointId, now, dueAt, seq, limit })
  const opened = (row: DeliveryRow) => dueDeliveryOf(row, openEvent(orgId, row, sealer))
  return { endpoint, manual: manual.map(opened), scheduled: scheduled.map(opened) }
}

interface DeliveryRow {
  readonly id: string
  readonly seq: number
  readonly event_id: string
  readonly attempt_count: number
  readonly manual: number
  readonly manual_count: number
  readonly planned_at: number | null
  readonly created_at: number
  readonly next_attempt_at: number | null
  readonly body: string
  readonly heartbeat_token: string | null
}

function dueDeliveryOf(row: DeliveryRow, body: string): DueDelivery {
  return {
    deliveryId: row.id,
    seq: row.seq,
    eventId: row.event_id,
    attemptCount: row.attempt_count,
    manualCount: row.manual_count,
    manual: row.manual === 1,
    plannedAt: row.planned_at,
    createdAt: row.created_at,
    dueAt: row.next_attempt_at ?? 0,
    body,
  }
}
