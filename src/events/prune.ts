import { DAY_MS } from '../lib/clock.ts'
import { type DbWork, execute, q } from '../storage/query.ts'

/** A day longer than the deliveries that show them (see webhooks/prune.ts). */
const KEPT_MS = 31 * DAY_MS

/** Forgets events that no delivery shows any more, a few at a time; says how many. */
export function* pruneEvents(now: number, limit: number): DbWork<number> {
  const old = q
    .selectFrom('events')
    .select(['org_id', 'id'])
    .where('created_at', '<', now - KEPT_MS)
    .orderBy('created_at')
    .limit(limit)
    .$asTuple('org_id', 'id')
  const gone = yield* execute(
    q
      .deleteFrom('events')
      .where((is) => is(is.refTuple('org_id', 'id'), 'in', old))
      .returning('id'),
  )
  return gone.length
}
