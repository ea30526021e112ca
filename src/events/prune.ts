import { DAY_MS } from '../lib/clock.ts'
import type { DbWork } from '../storage/query.ts'
import { pruning } from '../storage/queue/prune.ts'

/** One day longer than the deliveries that refer to events (see webhooks/prune.ts). */
const RETENTION_MS = 31 * DAY_MS

const deleteOld = pruning({ table: 'events', key: ['org_id', 'id'], by: 'created_at' })

/** Deletes at most `limit` events that no delivery refers to any more, and returns their number. */
export function* pruneEvents(now: number, limit: number): DbWork<number> {
  return yield* deleteOld(now - RETENTION_MS, limit)
}
