import { type Claimed, type Lease, Queue } from '../../storage/queue/queue.ts'

/** What sending needs to know. */
export const claimColumns = [
  'url',
  'enabled',
  'secret',
  'previous_secret',
  'previous_secret_expires_at',
  'older_secrets',
] as const

/**
 * The queue of endpoints that have deliveries due. One node at a time sends to an endpoint, so that its limit of parallel
 * requests and the order of its events hold over all nodes. Disabled endpoints are claimed too: their deliveries fail.
 * A lease is longer than the work under one claim can take.
 */
export const endpointQueue = new Queue({
  table: 'webhook_endpoints',
  key: ['org_id', 'id'],
  due: 'due_at',
  leaseMs: 180_000,
  columns: claimColumns,
})

export type EndpointLease = Lease<'webhook_endpoints', 'org_id' | 'id'>

/** An endpoint that this node has claimed. */
export type EndpointClaim = Claimed<'webhook_endpoints', 'org_id' | 'id', (typeof claimColumns)[number]>

/** Claims endpoints whose last attempt failed, or only the others. */
export const claimingEndpoints = (isFailing: boolean) =>
  endpointQueue.claiming((is) => is('failing_since', isFailing ? 'is not' : 'is', null))
