import { sql } from 'kysely'
import { type DbWork, first, q, statement } from '../../storage/query.ts'
import { type EndpointClaim, type EndpointLease, endpointQueue } from './endpoint-queue.ts'

/**
 * A transaction that adds a delivery locks the same row until it commits (events/emit.ts). So a delivery is either seen by
 * the queries that follow this lock, or its transaction finds the endpoint released and makes it due.
 */
const lockEndpoint = statement((lease: EndpointLease) =>
  endpointQueue.selectClaimed(lease).select('enabled').forNoKeyUpdate(),
)

interface Key {
  orgId: string
  endpointId: string
}

function pending({ orgId, endpointId }: Key) {
  return (
    q
      .selectFrom('webhook_deliveries as d')
      // Without its event a delivery cannot be read, and so not be sent (see due-deliveries.ts).
      .innerJoin('events as e', (on) => on.onRef('e.org_id', '=', 'd.org_id').onRef('e.id', '=', 'd.event_id'))
      .select('d.next_attempt_at')
      .where('d.org_id', '=', orgId)
      .where('d.endpoint_id', '=', endpointId)
      .where('d.next_attempt_at', 'is not', null)
  )
}

const earliest = statement((key: Key) => pending(key).orderBy('d.next_attempt_at').limit(1))

const anyManual = statement((key: Key) => pending(key).where('d.manual', '=', sql.lit(1)).limit(1))

/** Until when nothing is sent to an endpoint. Manual retries are still sent, unless the pause includes them. */
export interface Pause {
  readonly until: number
  readonly includesManual: boolean
}

/** `moreDue`: it stays claimed, because something is due. `lost`: the claim had ended, or the endpoint is deleted. */
export type ReleaseResult = 'released' | 'moreDue' | 'lost'

/** Releases an endpoint until its next delivery is due, and at least until the pause is over. */
export function* releaseEndpoint(claim: EndpointClaim, now: number, pause: Pause): DbWork<ReleaseResult> {
  const { orgId, endpointId, lease } = claim
  const endpoint = yield* first(lockEndpoint, lease)
  if (endpoint === undefined) return 'lost'
  const dueAt = (yield* first(earliest, { orgId, endpointId }))?.next_attempt_at ?? null
  const isPaused = pause.until > now
  if (dueAt !== null) {
    if (!isPaused && dueAt <= now) return 'moreDue'
    if (!(isPaused && pause.includesManual)) {
      // Deliveries of a disabled endpoint are failed at once, due or not. Manual retries do not wait for the receiver.
      if (endpoint.enabled === 0) return 'moreDue'
      if (isPaused && (yield* first(anyManual, { orgId, endpointId })) !== undefined) return 'moreDue'
    }
  }
  yield* endpointQueue.release(lease, dueAt === null ? null : Math.max(dueAt, pause.until))
  return 'released'
}
