import { notFound } from '../contract/errors.ts'
import { DAY_MS, MINUTE_MS } from '../lib/clock.ts'
import type { Sealer } from '../lib/seal.ts'
import { type DbWork, execute, q } from '../storage/query.ts'
import { pruning } from '../storage/queue/prune.ts'
import { type Claimed, Queue } from '../storage/queue/queue.ts'
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

export const pruneRuns = pruning({ table: 'shadow_runs', key: ['org_id', 'id'], by: 'ended_at', keptMs: 90 * DAY_MS })

const claimColumns = ['tool', 'url', 'sealed_key', 'ends_at', 'last_poll_at', 'last_error'] as const

/** Runs whose next poll is due, one node at a time each. The lease is longer than a poll takes. */
export const runQueue = new Queue({
  table: 'shadow_runs',
  key: ['org_id', 'id'],
  due: 'next_poll_at',
  leaseMs: 2 * MINUTE_MS,
  columns: claimColumns,
})

export type RunClaim = Claimed<'shadow_runs', 'org_id' | 'id', (typeof claimColumns)[number]>

type KeyedRun = Pick<ShadowRunTable, 'org_id' | 'id'>

/** The key of the other tool as it is stored. */
export function sealKey(key: string | undefined, run: KeyedRun, sealer: Sealer): string | null {
  return key === undefined ? null : sealer.seal(key, contextOf(run))
}

export function openKey(run: KeyedRun & Pick<ShadowRunTable, 'sealed_key'>, sealer: Sealer): string | null {
  return run.sealed_key === null ? null : sealer.open(run.sealed_key, contextOf(run))
}

function contextOf({ org_id: orgId, id }: KeyedRun): string {
  return `shadow run ${orgId} ${id}`
}
