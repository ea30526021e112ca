import { MINUTE_MS } from '../../lib/clock.ts'
import { Queue } from '../../storage/queue/queue.ts'

/**
 * Domains that are due for a check, one node at a time each. The lease is much longer than a check takes, and short enough
 * that the claims of a dead node need no other release.
 */
export const domainQueue = new Queue({
  table: 'status_page_domains',
  key: ['domain'],
  due: 'next_check_at',
  leaseMs: MINUTE_MS,
  columns: ['org_id', 'page_id'],
})
