import { all, type DbWork, q, run, statement } from '../../storage/query.ts'

interface MonitorKey {
  orgId: string
  num: number
}

const windowsCovering = statement(({ orgId, num }: MonitorKey) =>
  q
    .selectFrom('maintenance_windows')
    .select(['id', 'monitor_ids'])
    .where('org_id', '=', orgId)
    .where('id', 'in', (of) =>
      of.selectFrom('maintenance_monitors').select('window_id').where('org_id', '=', orgId).where('num', '=', num),
    )
    .orderBy('id')
    .forUpdate(),
)

const saveMonitors = statement((w: { orgId: string; id: string; monitorIds: string; now: number }) =>
  q
    .updateTable('maintenance_windows')
    .set({ monitor_ids: w.monitorIds, updated_at: w.now })
    .where('org_id', '=', w.orgId)
    .where('id', '=', w.id),
)

const unlinkMonitor = statement(({ orgId, num }: MonitorKey) =>
  q.deleteFrom('maintenance_monitors').where('org_id', '=', orgId).where('num', '=', num),
)

/**
 * Removes a monitor from every window. The caller has locked the monitor and is about to delete it. A window left
 * without monitors stays and covers nothing.
 */
export function* removeMonitorFromWindows(
  orgId: string,
  monitor: { num: number; id: string },
  now: number,
): DbWork<void> {
  const { num } = monitor
  const windows = yield* all(windowsCovering, { orgId, num })
  for (const { id, monitor_ids: monitorIds } of windows) {
    const left = JSON.stringify((JSON.parse(monitorIds) as string[]).filter((other) => other !== monitor.id))
    // A monitor that the selector matched is not listed.
    if (left !== monitorIds) yield* run(saveMonitors, { orgId, id, monitorIds: left, now })
  }
  if (windows.length > 0) yield* run(unlinkMonitor, { orgId, num })
}
