import { notFound } from '../contract/errors.ts'
import { DAY_MS } from '../lib/clock.ts'
import { type DbWork, execute, q } from '../storage/query.ts'
import { pruning } from '../storage/queue/prune.ts'
import type { ShadowRunTable } from '../storage/schema/shadow-runs.ts'

export function* runsOf(orgId: string): DbWork<readonly ShadowRunTable[]> {
  return yield* execute(q.selectFrom('shadow_runs').selectAll().where('org_id', '=', orgId).orderBy('id', 'desc'))
}

export function* runOf(orgId: string, id: string): DbWork<ShadowRunTable> {
  const [row] = yield* execute(q.selectFrom('shadow_runs').selectAll().where('org_id', '=', orgId).where('id', '=', id))
  if (row === undefined) throw notFound('shadow run')
  return row
}

/** The foreign key deletes its spans. */
export function* removeRun(orgId: string, id: string): DbWork<void> {
  yield* execute(q.deleteFrom('shadow_runs').where('org_id', '=', orgId).where('id', '=', id))
}

const KEPT_MS = 90 * DAY_MS
const deleteEnded = pruning({ table: 'shadow_runs', key: ['org_id', 'id'], by: 'ended_at' })

export function* pruneRuns(now: number, limit: number): DbWork<number> {
  return yield* deleteEnded(now - KEPT_MS, limit)
}
