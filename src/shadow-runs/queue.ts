import { MINUTE_MS } from '../lib/clock.ts'
import { type Claimed, Queue } from '../storage/queue/queue.ts'

/** Runs whose next poll is due, one node at a time each. The lease is longer than a poll takes. */
export const runQueue = new Queue({
  table: 'shadow_runs',
  key: ['org_id', 'id'],
  due: 'next_poll_at',
  leaseMs: 2 * MINUTE_MS,
  columns: ['tool', 'url', 'sealed_key', 'ends_at', 'last_poll_at', 'last_error'],
})

export type RunClaim = Claimed<
  'shadow_runs',
  'org_id' | 'id',
  'tool' | 'url' | 'sealed_key' | 'ends_at' | 'last_poll_at' | 'last_error'
>
