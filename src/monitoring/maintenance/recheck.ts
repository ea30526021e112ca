import { newId } from '../../lib/ids.ts'
import { parseStored } from '../../lib/json.ts'
import { type DbWork, execute, first, q, statement } from '../../storage/query.ts'
import { makeDue } from '../monitor-states/make-due.ts'

/** Queues a check of monitors that a window no longer covers. `nums`: their numbers as JSON, or null for all. */
export function* queueRecheck(orgId: string, nums: string | null, now: number): DbWork<void> {
  if (nums === '[]') return
  const recheck = { org_id: orgId, id: newId('mw', now), monitor_nums: nums, after_seq: -1 }
  yield* execute(q.insertInto('maintenance_rechecks').values(recheck))
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

/** Makes the next monitors of a queued recheck due. Returns how many, or undefined if nothing is queued. */
export function* recheckSome(now: number): DbWork<number | undefined> {
  const recheck = yield* first(nextRecheck, {})
  if (recheck === undefined) return undefined
  const { org_id: orgId, id, monitor_nums: listed } = recheck
  const update = (left: { after_seq: number } | { monitor_nums: string }) =>
    execute(q.updateTable('maintenance_rechecks').set(left).where('org_id', '=', orgId).where('id', '=', id))
  const remove = () => execute(q.deleteFrom('maintenance_rechecks').where('org_id', '=', orgId).where('id', '=', id))
  if (listed !== null) {
    const nums: readonly number[] = parseStored(listed)
    const rest = nums.slice(MAX_PER_STEP)
    yield* rest.length === 0 ? remove() : update({ monitor_nums: JSON.stringify(rest) })
    return (yield* makeDue(orgId, nums.slice(0, MAX_PER_STEP), now)).length
  }
  const monitors = yield* execute(
    q
      .selectFrom('monitors')
      .select(['num', 'seq'])
      .where('org_id', '=', orgId)
      .where('seq', '>', recheck.after_seq)
      .orderBy('seq')
      .limit(MAX_PER_STEP),
  )
  yield* monitors.length < MAX_PER_STEP ? remove() : update({ after_seq: monitors.at(-1)?.seq ?? 0 })
  const nums = monitors.map(({ num }) => num)
  return (yield* makeDue(orgId, nums, now)).length
}
