import { operation } from '../../contract/operation.ts'
import { Deleted } from '../../contract/schema.ts'
import { emitSeveral } from '../../events/emit.ts'
import { batch, sendAll, usingRows } from '../../storage/batch.ts'
import { removeFromList } from '../../storage/list-index.ts'
import { type DbWork, q } from '../../storage/query.ts'
import { lockLabels } from '../labels/save.ts'
import { removeDetails } from '../monitor-details/store.ts'
import { type MonitorToChange, monitorToChange } from './queries.ts'
import { eventOf } from './render.ts'
import { MonitorParams } from './schema.ts'

/**
 * Removes what refers to monitors, in the transaction that deletes them. Called while the rows of the monitors exist and
 * are locked, and while labels are locked.
 */
export type OnMonitorsDeleted = (
  orgId: string,
  monitors: readonly Pick<MonitorToChange, 'num' | 'id' | 'open_incident'>[],
  now: number,
) => DbWork<void>

interface MonitorKey {
  orgId: string
  num: number
}

/** In this order: the row of the monitor last. */
const deleteRows = ['rollup_hours', 'rollup_days', 'heartbeats', 'monitor_states', 'monitors'].map((table) =>
  batch<MonitorKey>({ orgId: 'text', num: 'bigint' }, (m, rows) =>
    usingRows(q.deleteFrom(`${table} as d` as 'monitors as d'), rows)
      .where('d.num', '=', m.num)
      .where('d.org_id', '=', m.orgId),
  ),
)

/** The operation that deletes a monitor; the listeners run in the order given. */
export const deleteMonitor = (listeners: readonly OnMonitorsDeleted[]) =>
  operation({
    id: 'deleteMonitor',
    method: 'DELETE',
    path: '/monitors/:monitorId',
    access: 'write',
    tag: 'Monitors',
    summary: 'Delete a monitor',
    description: 'Permanently deletes the monitor with its check history and incidents.',
    params: MonitorParams,
    answer: { status: 200, schema: Deleted, description: 'The id of the deleted resource' },
    errors: ['not_found'],
    *handle({ caller: { orgId }, now, installation }, { params }) {
      yield* lockLabels(orgId)
      const monitor = yield* monitorToChange(orgId, params.monitorId)
      yield* remove(orgId, [monitor], listeners, installation.baseUrl, now)
      // Last, as in a creation: rows are locked in the same order, and the total for the shortest time.
      yield* removeFromList(orgId, 'monitor')
      return { data: { id: monitor.id } }
    },
  })

/** Deletes monitors. Labels and the monitors are locked. */
export function* remove(
  orgId: string,
  monitors: readonly MonitorToChange[],
  listeners: readonly OnMonitorsDeleted[],
  baseUrl: string,
  now: number,
): DbWork<void> {
  if (monitors.length === 0) return
  for (const listener of listeners) yield* listener(orgId, monitors, now)
  const nums = monitors.map(({ num }) => num)
  const keys = nums.map((num) => ({ orgId, num }))
  yield* removeDetails(orgId, nums)
  for (const deleteFrom of deleteRows) yield* sendAll(deleteFrom, keys)
  yield* emitSeveral({ orgId, type: 'monitor.deleted', now }, () =>
    monitors.map((monitor) => eventOf(monitor, monitor, baseUrl)),
  )
}
