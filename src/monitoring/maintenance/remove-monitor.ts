import { parseStored } from '../../lib/json.ts'
import { type DbWork, execute, q, runEach, statement } from '../../storage/query.ts'

const saveMonitors = statement((w: { orgId: string; id: string; monitorIds: string; now: number }) =>
  q
    .updateTable('maintenance_windows')
    .set({ monitor_ids: w.monitorIds, updated_at: w.now })
    .where('org_id', '=', w.orgId)
    .where('id', '=', w.id),
)

/**
 * Removes monitors from every window. The caller has locked the monitors and is about to delete them. A window left
 * without monitors stays and covers nothing.
 */
export function* removeMonitorsFromWindows(
  orgId: string,
  monitors: readonly { readonly num: number; readonly id: string }[],
  now: number,
): DbWork<void> {
  const nums = monitors.map(({ num }) => num)
  const links = q.selectFrom('maintenance_monitors').where('org_id', '=', orgId).where('num', 'in', nums)
  const windows = yield* execute(
    q
      .selectFrom('maintenance_windows')
      .select(['id', 'monitor_ids'])
      .where('org_id', '=', orgId)
      .where('id', 'in', links.select('window_id'))
      .orderBy('id')
      .forUpdate(),
  )
  if (windows.length === 0) return
  const deleted = new Set(monitors.map(({ id }) => id))
  const changed = windows.flatMap(({ id, monitor_ids: monitorIds }) => {
    const left = JSON.stringify((parseStored(monitorIds) as string[]).filter((other) => !deleted.has(other)))
    // A monitor that the selector matched is not listed.
    return left === monitorIds ? [] : [{ orgId, id, monitorIds: left, now }]
  })
  yield* runEach(saveMonitors, changed)
  yield* execute(q.deleteFrom('maintenance_monitors').where('org_id', '=', orgId).where('num', 'in', nums))
}
