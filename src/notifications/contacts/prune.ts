import { DAY_MS } from '../../lib/clock.ts'
import { type DbWork, q, run, statement } from '../../storage/query.ts'

const RETENTION_MS = 30 * DAY_MS
/** The alert that opened a problem is kept until the problem ends, but no longer than this. */
const OPEN_RETENTION_MS = 365 * DAY_MS

const prune = statement(({ before, longBefore, limit }: { before: number; longBefore: number; limit: number }) =>
  q.deleteFrom('alerts').where(
    'num',
    'in',
    q
      .selectFrom('alerts')
      .select('num')
      .where('settled_at', '<', before)
      .where((is) =>
        is.or([is('problem_key', 'is', null), is('ended_at', 'is not', null), is('settled_at', '<', longBefore)]),
      )
      .orderBy('settled_at')
      .limit(limit),
  ),
)

/** Deletes at most `limit` settled alerts that are past their retention. Returns how many. */
export function* pruneAlerts(now: number, limit: number): DbWork<number> {
  return yield* run(prune, { before: now - RETENTION_MS, longBefore: now - OPEN_RETENTION_MS, limit })
}
