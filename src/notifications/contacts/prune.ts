import { DAY_MS } from '../../lib/clock.ts'
import type { DbWork } from '../../storage/query.ts'
import { pruning } from '../../storage/queue/prune.ts'

const alerts = { table: 'alerts', key: ['num'], by: 'settled_at' } as const
const pruneEnded = pruning({
  ...alerts,
  keptMs: 30 * DAY_MS,
  filter: (is) => is.or([is('problem_key', 'is', null), is('ended_at', 'is not', null)]),
})
/** The alert that opened a problem is kept until the problem ends, but no longer than this. */
const pruneAny = pruning({ ...alerts, keptMs: 365 * DAY_MS })

/** Deletes at most `limit` settled alerts that are past their retention. Returns how many. */
export function* pruneAlerts(now: number, limit: number): DbWork<number> {
  const ended = yield* pruneEnded(now, limit)
  return ended + (yield* pruneAny(now, limit - ended))
}
