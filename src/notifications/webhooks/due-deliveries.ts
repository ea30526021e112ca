import type { KeyObject } from 'node:crypto'
import { sql } from 'kysely'
import { openEvent } from '../../events/heartbeat-token.ts'
import type { Sealer } from '../../lib/seal.ts'
import type { AddressPolicy } from '../../outbound/address-policy.ts'
import { webhookUrlProblem } from '../../outbound/urls.ts'
import { all, type DbWork, q, statement } from '../../storage/query.ts'
import type { EndpointClaim } from './endpoint-queue.ts'
import { earlierSecrets, openSecret, openUrl, signingKey } from './secret.ts'

/** What sending needs to know of an endpoint. */
export interface Endpoint {
  readonly url: string
  /** Why nothing may be sent there: the operator's address policy may be stricter than when the endpoint was created. */
  readonly urlProblem: string | null
  /** The present secret and the earlier ones that have not expired. Each makes a signature. */
  readonly keys: readonly KeyObject[]
}

/** Throws if the URL or a secret cannot be unsealed. */
export function openEndpoint(claim: EndpointClaim, sealer: Sealer, policy: AddressPolicy, now: number): Endpoint {
  const { org_id: orgId, id } = claim
  const url = openUrl(sealer, orgId, id, claim.url)
  const sealed = [claim.secret, ...earlierSecrets(claim, now).map(({ secret }) => secret)]
  return {
    url,
    urlProblem: webhookUrlProblem(url, policy),
    keys: sealed.map((secret) => signingKey(openSecret(sealer, orgId, id, secret))),
  }
}

/** A delivery with an attempt that is due. */
export interface DueDelivery {
  readonly id: string
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

/** Pending deliveries. Without its event a delivery cannot be read, and so not be sent. */
export function pendingOf({ orgId, endpointId }: Key) {
  return q
    .selectFrom('webhook_deliveries as d')
    .innerJoin('events as e', (on) => on.onRef('e.org_id', '=', 'd.org_id').onRef('e.id', '=', 'd.event_id'))
    .where('d.org_id', '=', orgId)
    .where('d.endpoint_id', '=', endpointId)
    .where('d.next_attempt_at', 'is not', null)
}

/** Literals: with a parameter the partial index would not be used. */
export const manualOf = (key: Key) => pendingOf(key).where('d.manual', '=', sql.lit(1))

const columns = [
  ...(['d.id', 'd.event_id as eventId', 'd.attempt_count as attemptCount', 'd.manual'] as const),
  ...(['d.manual_count as manualCount', 'd.planned_at as plannedAt', 'd.created_at as createdAt'] as const),
  ...(['d.next_attempt_at as dueAt', 'e.body', 'e.heartbeat_token'] as const),
] as const

interface Next extends Key {
  now: number
  limit: number
}

const manual = statement((next: Next) => manualOf(next).select(columns).orderBy('d.seq').limit(next.limit))

/** In the order of the index, so the cost depends on the limit and not on the number of pending deliveries. */
const scheduled = statement((next: Next) =>
  pendingOf(next)
    .select(columns)
    .where('d.next_attempt_at', '<=', next.now)
    .where('d.manual', '=', 0)
    .orderBy('d.next_attempt_at')
    .orderBy('d.seq')
    .limit(next.limit),
)

/** The next due deliveries of an endpoint. Manual retries are sent before everything else. */
export function* readDue(
  { org_id: orgId, id: endpointId }: EndpointClaim,
  now: number,
  limit: number,
  sealer: Sealer,
): DbWork<readonly DueDelivery[]> {
  const next = { orgId, endpointId, now, limit }
  const first = yield* all(manual, next)
  const others = yield* all(scheduled, next)
  return [...first, ...others].slice(0, limit).map(({ heartbeat_token, ...row }) => ({
    ...row,
    manual: row.manual === 1,
    dueAt: row.dueAt ?? 0,
    body: openEvent(orgId, { body: row.body, heartbeat_token }, sealer),
  }))
}
