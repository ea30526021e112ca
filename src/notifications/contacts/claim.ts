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

export type ContactLease = Lease<'contacts', 'org_id' | 'id'>

/** A contact that this node alone may send to while the lease lasts. */
export interface Claim {
  readonly orgId: string
  readonly contactId: string
  readonly claimedAt: number
  readonly lease: ContactLease
}

/** Claims due contacts whose last message failed, or only the others. */
function claiming(isFailing: boolean) {
  const claim = contactQueue.claiming((is) => is('failing_since', isFailing ? 'is not' : 'is', null))
  return function* (request: ClaimRequest): DbWork<readonly Claim[]> {
    const leases = yield* claim(request)
    return leases.map((lease) => ({ orgId: lease.org_id, contactId: lease.id, claimedAt: request.now, lease }))
  }
}

export const claimHealthy = claiming(false)
export const claimFailing = claiming(true)
