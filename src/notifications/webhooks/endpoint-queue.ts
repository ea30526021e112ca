import { SECOND_MS } from '../../lib/clock.ts'
import type { DbWork } from '../../storage/query.ts'
import { type ClaimRequest, type Lease, Queue } from '../../storage/queue/queue.ts'

/**
 * The queue of endpoints that have deliveries due. One node at a time sends to an endpoint, so that its limit of parallel
 * requests and the order of its events hold over all nodes. Disabled endpoints are claimed too: their deliveries fail.
 */
export const endpointQueue = new Queue({
  table: 'webhook_endpoints',
  key: ['org_id', 'id'],
  due: 'due_at',
  leaseMs: 60 * SECOND_MS,
  columns: [],
  isExtended: true,
})

export type EndpointLease = Lease<'webhook_endpoints', 'org_id' | 'id'>

/** An endpoint that this node has claimed. */
export interface EndpointClaim {
  readonly orgId: string
  readonly endpointId: string
  readonly lease: EndpointLease
}

export function* claimEndpoints(request: ClaimRequest): DbWork<readonly EndpointClaim[]> {
  const leases = yield* endpointQueue.claim(request)
  return leases.map((lease) => ({ orgId: lease.org_id, endpointId: lease.id, lease }))
}
