import { sql } from 'kysely'
import { SECOND_MS } from '../../lib/clock.ts'
import { all, first, q, run, runEach, statement, type Work } from '../../storage/query.ts'

/** An endpoint that is this node's to send to, and nobody else's. */
export interface Claim {
  readonly orgId: string
  readonly endpointId: string
}

/** A node that dies is noticed sooner (see release.ts); this is for one that hangs. It is renewed while the node works. */
export const LEASE_MS = 60 * SECOND_MS

const anyDue = statement(({ now }: { now: number }) =>
  q.selectFrom('webhook_endpoints').select('id').where('due_at', '<=', now).limit(1),
)

export function* isAnyDue(now: number): Work<boolean> {
  return (yield* first(anyDue, { now })) !== undefined
}

interface Taking {
  now: number
  until: number
  limit: number
  node: string
}

const takeDue = statement(({ now, until, limit, node }: Taking) =>
  q
    // Written out once: PostgreSQL might otherwise look for what is due more than once, and lock more each time.
    .with(
      (cte) => cte('due').materialized(),
      () =>
        q
          .selectFrom('webhook_endpoints')
          .select(['org_id', 'id'])
          .where('due_at', '<=', now)
          .orderBy('due_at')
          .limit(limit)
          .forUpdate()
          .skipLocked(),
    )
    .updateTable('webhook_endpoints')
    .set({ due_at: until, claimed_by: node })
    .where(({ eb, refTuple, selectFrom }) =>
      eb(refTuple('org_id', 'id'), 'in', selectFrom('due').select(['due.org_id', 'due.id']).$asTuple('org_id', 'id')),
    )
    .returning(['org_id as orgId', 'id as endpointId']),
)

/** Claims endpoints that are due, the longest due first, disabled ones too: what is waiting there is to be given up. */
export function* claimDue(node: string, now: number, limit: number): Work<readonly Claim[]> {
  return yield* all(takeDue, { now, until: now + LEASE_MS, limit, node })
}

interface Held extends Claim {
  node: string
}

const renew = statement(({ orgId, endpointId, node, until }: Held & { until: number }) =>
  q
    .updateTable('webhook_endpoints')
    .set({ due_at: until })
    .where('org_id', '=', orgId)
    .where('id', '=', endpointId)
    .where('claimed_by', '=', node),
)

/** Says of each whether this node still has it. In the order of their ids, as everybody who holds several. */
export function* renewClaims(node: string, now: number, claims: readonly Claim[]): Work<ReadonlyMap<Claim, boolean>> {
  const sorted = claims.toSorted((a, b) => (a.endpointId < b.endpointId ? -1 : 1))
  const until = now + LEASE_MS
  const renewed = yield* runEach(
    renew,
    sorted.map(({ orgId, endpointId }) => ({ orgId, endpointId, node, until })),
  )
  return new Map(sorted.map((claim, i) => [claim, renewed[i] === 1]))
}

/**
 * Whoever gives the endpoint something to do holds the same row until the end of its transaction. So what is looked for
 * after this is seen, or is added by somebody who will find the endpoint unclaimed.
 */
const hold = statement(({ orgId, endpointId, node }: Held) =>
  q
    .selectFrom('webhook_endpoints')
    .select('enabled')
    .where('org_id', '=', orgId)
    .where('id', '=', endpointId)
    .where('claimed_by', '=', node)
    .forUpdate(),
)

function waiting(orgId: string, endpointId: string) {
  return (
    q
      .selectFrom('webhook_deliveries as d')
      // What cannot be read cannot be sent either (see page.ts).
      .innerJoin('events as e', (on) => on.onRef('e.org_id', '=', 'd.org_id').onRef('e.id', '=', 'd.event_id'))
      .select('d.next_attempt_at')
      .where('d.org_id', '=', orgId)
      .where('d.endpoint_id', '=', endpointId)
      .where('d.next_attempt_at', 'is not', null)
  )
}

const earliest = statement(({ orgId, endpointId }: Claim) =>
  waiting(orgId, endpointId).orderBy('d.next_attempt_at').limit(1),
)

const byHand = statement(({ orgId, endpointId }: Claim) =>
  waiting(orgId, endpointId).where('d.manual', '=', sql.lit(1)).limit(1),
)

const rest = statement(({ orgId, endpointId, dueAt }: Claim & { dueAt: number | null }) =>
  q
    .updateTable('webhook_endpoints')
    .set({ due_at: dueAt, claimed_by: null })
    .where('org_id', '=', orgId)
    .where('id', '=', endpointId),
)

/** `more`: it stays claimed, for there is something to do. `lost`: it was this node's no more, or is gone. */
export type LetGo = 'rests' | 'more' | 'lost'

/** How long to leave an endpoint alone. What somebody asked for by hand does not wait, unless it is `evenByHand`. */
export interface Rest {
  readonly until: number
  readonly evenByHand: boolean
}

/** Gives an endpoint back until its next delivery is due, and not before its rest is over. */
export function* letGo(node: string, claim: Claim, now: number, { until, evenByHand }: Rest): Work<LetGo> {
  const { orgId, endpointId } = claim
  const held = yield* first(hold, { orgId, endpointId, node })
  if (held === undefined) return 'lost'
  const dueAt = (yield* first(earliest, { orgId, endpointId }))?.next_attempt_at ?? null
  if (dueAt !== null) {
    if (held.enabled === 0 || (dueAt <= now && until <= now)) return 'more'
    if (until > now && !evenByHand && (yield* first(byHand, { orgId, endpointId })) !== undefined) return 'more'
  }
  yield* run(rest, { orgId, endpointId, dueAt: dueAt === null ? null : Math.max(dueAt, until) })
  return 'rests'
}
