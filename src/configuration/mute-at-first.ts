import type { OperationContext } from '../contract/operation.ts'
import { DAY_MS } from '../lib/clock.ts'
import { auditEach } from '../monitoring/monitors/bulk.ts'
import { extendMutes, mute, unmute } from '../monitoring/monitors/mutes.ts'
import { type DbWork, execute, q } from '../storage/query.ts'

/** For how long alerts of new monitors of a document with `mutedAtFirst` are muted, unless the import is finished before. */
const MUTED_AT_FIRST_DAYS = 7

export function* muteAtFirst(context: OperationContext, monitorIds: readonly string[]): DbWork<void> {
  if (monitorIds.length === 0) return
  const { caller, now } = context
  const created = q.selectFrom('monitors').select(['id', 'num']).where('org_id', '=', caller.orgId)
  const monitors = yield* execute(created.where('id', 'in', monitorIds))
  yield* mute(context, monitors, now + MUTED_AT_FIRST_DAYS * DAY_MS)
}

/** The monitors of a source whose first mute has not ended. One that somebody has muted since began later. */
function* mutedSinceCreation({ caller: { orgId }, now }: OperationContext, source: string) {
  return yield* execute(
    q
      .selectFrom('configuration_items as i')
      .innerJoin('monitors as m', (on) => on.onRef('m.org_id', '=', 'i.org_id').onRef('m.id', '=', 'i.resource_id'))
      .innerJoin('monitor_mutes as u', (on) =>
        on.onRef('u.monitor_num', '=', 'm.num').onRef('u.muted_at', '=', 'm.created_at'),
      )
      .select(['m.id', 'm.num', 'm.name', 'u.until'])
      .where('i.org_id', '=', orgId)
      .where('i.kind', '=', 'monitors')
      .where('i.source', '=', source)
      .where('u.until', '>', now)
      .orderBy('m.id'),
  )
}

/** Returns how many monitors were muted since they were created. */
export function* endFirstMutes(context: OperationContext, source: string): DbWork<number> {
  const muted = yield* mutedSinceCreation(context, source)
  yield* unmute(context, muted)
  yield* auditEach(context, 'unmuteMonitor', muted)
  return muted.length
}

/** Makes first mutes last until then, if they would end earlier. */
export function* extendFirstMutes(context: OperationContext, source: string, until: number): DbWork<void> {
  const muted = yield* mutedSinceCreation(context, source)
  const ending = muted.filter((one) => one.until < until)
  yield* extendMutes(context, ending, until)
}
