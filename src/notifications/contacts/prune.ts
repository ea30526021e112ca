import { DAY_MS } from '../../lib/clock.ts'
import { q, run, statement, type Work } from '../../storage/query.ts'

const KEPT_MS = 30 * DAY_MS
/** What tells of a trouble is kept until its end, but not for that of a monitor that is gone. */
const KEPT_OPEN_MS = 365 * DAY_MS

const prune = statement(({ before, longBefore, limit }: { before: number; longBefore: number; limit: number }) =>
  q.deleteFrom('alerts').where(
    'num',
    'in',
    q
      .selectFrom('alerts')
      .select('num')
      .where('settled_at', '<', before)
      .where((is) =>
        is.or([is('trouble', 'is', null), is('ended_at', 'is not', null), is('settled_at', '<', longBefore)]),
      )
      .orderBy('settled_at')
      .limit(limit),
  ),
)

/** Forgets some of the alerts that were settled long ago; says how many. */
export function* pruneAlerts(now: number, limit: number): Work<number> {
  return yield* run(prune, { before: now - KEPT_MS, longBefore: now - KEPT_OPEN_MS, limit })
}
