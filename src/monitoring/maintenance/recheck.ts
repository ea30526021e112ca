import { newId } from '../../lib/ids.ts'
import { all, type DbWork, first, q, run, statement } from '../../storage/query.ts'
import { makeDue } from '../monitor-states/make-due.ts'

const insert = statement((r: { orgId: string; id: string; nums: string | null }) =>
  q.insertInto('maintenance_rechecks').values({ org_id: r.orgId, id: r.id, monitor_nums: r.nums, after_seq: -1 }),
)

/** Queues a check of monitors that a window no longer covers. `nums`: their numbers as JSON, or null for all. */
export function* queueRecheck(orgId: string, nums: string | null, now: number): DbWork<void> {
  if (nums !== '[]') yield* run(insert, { orgId, id: newId('mw', now), nums })
}

const nextRecheck = statement((_: object) =>
  q
    .selectFrom('maintenance_rechecks')
    .select(['org_id', 'id', 'monitor_nums', 'after_seq'])
    .orderBy('id')
    .limit(1)
    .forUpdate()
    .skipLocked(),
)

const anyRecheck = statement((_: object) => q.selectFrom('maintenance_rechecks').select('id').limit(1))

export function* isRecheckQueued(): DbWork<boolean> {
  return (yield* first(anyRecheck, {})) !== undefined
}

/** Keeps transactions short. */
const MAX_PER_STEP = 500

const nextMonitors = statement(({ orgId, afterSeq }: { orgId: string; afterSeq: number }) =>
  q
    .selectFrom('monitors')
    .select(['num', 'seq'])
    .where('org_id', '=', orgId)
    .where('seq', '>', afterSeq)
    .orderBy('seq')
    .limit(MAX_PER_STEP),
)

interface RecheckKey {
  orgId: string
  id: string
}

const saveCursor = statement(({ orgId, id, afterSeq }: RecheckKey & { afterSeq: number }) =>
  q.updateTable('maintenance_rechecks').set({ after_seq: afterSeq }).where('org_id', '=', orgId).where('id', '=', id),
)

const saveRest = statement(({ orgId, id, nums }: RecheckKey & { nums: string }) =>
  q.updateTable('maintenance_rechecks').set({ monitor_nums: nums }).where('org_id', '=', orgId).where('id', '=', id),
)

const deleteRecheck = statement(({ orgId, id }: RecheckKey) =>
  q.deleteFrom('maintenance_rechecks').where('org_id', '=', orgId).where('id', '=', id),
)

/** Makes the next monitors of a queued recheck due. Returns how many, or undefined if nothing is queued. */
export function* recheckSome(now: number): DbWork<number | undefined> {
  const recheck = yield* first(nextRecheck, {})
  if (recheck === undefined) return undefined
  const { org_id: orgId, id, monitor_nums: nums } = recheck
  if (nums !== null) {
    const listed: number[] = JSON.parse(nums)
    const rest = listed.slice(MAX_PER_STEP)
    if (rest.length === 0) yield* run(deleteRecheck, { orgId, id })
    else yield* run(saveRest, { orgId, id, nums: JSON.stringify(rest) })
    return (yield* makeDue(orgId, listed.slice(0, MAX_PER_STEP), now)).length
  }
  const monitors = yield* all(nextMonitors, { orgId, afterSeq: recheck.after_seq })
  if (monitors.length < MAX_PER_STEP) yield* run(deleteRecheck, { orgId, id })
  else yield* run(saveCursor, { orgId, id, afterSeq: monitors.at(-1)?.seq ?? 0 })
  const due = yield* makeDue(
    orgId,
    monitors.map(({ num }) => num),
    now,
  )
  return due.length
}
