import { sql } from 'kysely'
import { notFound } from '../contract/errors.ts'
import { DAY_MS, MINUTE_MS } from '../lib/clock.ts'
import type { Sealer } from '../lib/seal.ts'
import { type DbWork, execute, first, q, run, statement } from '../storage/query.ts'
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

const KEPT_MS = 90 * DAY_MS
/** Of one step, after which bulk work gives the event loop back. */
const SPANS_AT_ONCE = 500

const removeSpans = statement(({ org_id: orgId, id, limit }: KeyedRun & { limit: number }) => {
  const key = sql`(org_id, run_id, num, from_at)`
  const some = sql`select org_id, run_id, num, from_at from shadow_spans where org_id = ${orgId} and run_id = ${id} limit ${limit}`
  return q.deleteFrom('shadow_spans').where(sql<boolean>`${key} in (${some})`)
})

const removeRow = statement(({ org_id: orgId, id }: KeyedRun) =>
  q.deleteFrom('shadow_runs').where('org_id', '=', orgId).where('id', '=', id),
)

export function* removeRun(key: KeyedRun): DbWork<void> {
  const { org_id, id } = key
  let removed: number
  do removed = yield* run(removeSpans, { org_id, id, limit: SPANS_AT_ONCE })
  while (removed > 0)
  yield* run(removeRow, { org_id, id })
}

const oldestEnded = statement(({ until }: { until: number }) =>
  q.selectFrom('shadow_runs').select(['org_id', 'id']).where('ended_at', '<=', until).orderBy('ended_at').limit(1),
)

/** Deletes up to `limit` rows of the run that ended first, if its time is over. Returns how many. */
export function* pruneRuns(now: number, limit: number): DbWork<number> {
  const ended = yield* first(oldestEnded, { until: now - KEPT_MS })
  if (ended === undefined) return 0
  const removed = yield* run(removeSpans, { ...ended, limit })
  return removed > 0 ? removed : yield* run(removeRow, ended)
}

const claimColumns = ['tool', 'url', 'sealed_key', 'ends_at', 'last_poll_at', 'last_error'] as const

/** Runs whose next poll is due, one node at a time each. The lease is longer than a poll takes. */
export const runQueue = new Queue({
  table: 'shadow_runs',
  key: ['org_id', 'id'],
  due: 'next_poll_at',
  leaseMs: 2 * MINUTE_MS,
  columns: claimColumns,
})

/** What a run that has ended no longer has: a next poll, and the key of the other tool. */
export function endedAt(now: number) {
  return { ended_at: now, sealed_key: null, next_poll_at: null, claimed_by: null } as const
}

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
