import { sql } from 'kysely'
import type { DbWork } from '../../storage/query.ts'
import { type ClaimRequest, type Lease, Queue } from '../../storage/queue/queue.ts'

/** The queue of contacts with pending alerts. A lease is longer than sending one message can take. */
export const contactQueue = new Queue({
  table: 'contacts',
  key: ['org_id', 'id'],
  due: 'due_at',
  leaseMs: 180_000,
  columns: [],
})

/** A contact that this node alone may send to while the lease lasts. */
export interface Claim extends Lease<'contacts', 'org_id' | 'id'> {
  readonly claimedAt: number
}

/** Claims due contacts whose last message failed, or only the others. */
function claiming(isFailing: boolean) {
  const claim = contactQueue.claiming((is) => is('failing_since', isFailing ? 'is not' : 'is', null))
  return function* (request: ClaimRequest): DbWork<readonly Claim[]> {
    return (yield* claim(request)).map((lease) => ({ ...lease, claimedAt: request.now }))
  }
}

export const claimHealthy = claiming(false)
export const claimFailing = claiming(true)

/**
 * When a contact is due by its pending alerts; null if it has none. Outages do not wait for the spacing of messages, only if the
 * provider asked for it.
 */
export const dueByAlerts = sql<number | null>`(select min(case
    when a.kind = 'opened' and refused_until > a.due_at then refused_until
    when a.kind <> 'opened' and hold_until > a.due_at then hold_until
    else a.due_at end)
  from alerts a where a.org_id = contacts.org_id and a.contact_id = contacts.id and a.due_at is not null)`
