import { DAY_MS } from '../../lib/clock.ts'
import type { DbWork } from '../../storage/query.ts'
import { pruning } from '../../storage/queue/prune.ts'

const RETENTION_MS = 30 * DAY_MS
/** The alert that opened a problem is kept until the problem ends, but no longer than this. */
const OPEN_RETENTION_MS = 365 * DAY_MS

const alerts = { table: 'alerts', key: ['num'], by: 'settled_at' } as const
const pruneEnded = pruning({
  ...alerts,
  filter: (is) => is.or([is('problem_key', 'is', null), is('ended_at', 'is not', null)]),
})
const pruneAny = pruning(alerts)

/** Deletes at most `limit` settled alerts that are past their retention. Returns how many. */
export function* pruneAlerts(now: number, limit: number): DbWork<number> {
  const ended = yield* pruneEnded(now - RETENTION_MS, limit)
  return ended + (yield* pruneAny(now - OPEN_RETENTION_MS, limit - ended))
}
