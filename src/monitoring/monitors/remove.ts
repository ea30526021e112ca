import { operation } from '../../contract/operation.ts'
import { Deleted } from '../../contract/schema.ts'
import { emit } from '../../events/emit.ts'
import { removeFromList } from '../../storage/list-index.ts'
import { type DbWork, q, send, statement } from '../../storage/query.ts'
import { removeDetails } from '../monitor-details/store.ts'
import { renderState } from '../monitor-states/state.ts'
import { dropToken } from './heartbeat-token.ts'
import { unlistMonitor } from './listed.ts'
import { type MonitorToChange, monitorToChange } from './queries.ts'
import { heartbeatBase, monitorJson } from './render.ts'
import { MonitorParams } from './schema.ts'

/**
 * Removes what refers to a monitor, in the transaction that deletes it. Called while the monitor's rows exist and are
 * locked.
 */
export type OnMonitorDeleted = (
  orgId: string,
  monitor: Pick<MonitorToChange, 'num' | 'id' | 'open_incident'>,
  now: number,
) => DbWork<void>

interface MonitorKey {
  orgId: string
  num: number
}

const deleteState = statement(({ orgId, num }: MonitorKey) =>
  q.deleteFrom('monitor_states').where('org_id', '=', orgId).where('num', '=', num),
)

const deleteRow = statement(({ orgId, num }: MonitorKey) =>
  q.deleteFrom('monitors').where('org_id', '=', orgId).where('num', '=', num),
)

/** Raw results stay until their partition is dropped: numbers are never reused, so nothing can read them. */
const deleteHistory = (['rollup_hours', 'rollup_days', 'heartbeats'] as const).map((table) =>
  statement(({ orgId, num }: MonitorKey) => q.deleteFrom(table).where('num', '=', num).where('org_id', '=', orgId)),
)

/** The operation that deletes a monitor; the listeners run in the order given. */
export const deleteMonitor = (listeners: readonly OnMonitorDeleted[]) =>
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
      return { data: { id: yield* remove(orgId, params.monitorId, listeners, installation.baseUrl, now) } }
    },
  })

export function* remove(
  orgId: string,
  monitorId: string,
  listeners: readonly OnMonitorDeleted[],
  baseUrl: string,
  now: number,
): DbWork<string> {
  const monitor = yield* monitorToChange(orgId, monitorId)
  const { num, seq, id } = monitor
  for (const listener of listeners) yield* listener(orgId, monitor, now)
  // Nothing waits for these.
  for (const history of deleteHistory) yield* send(history, { orgId, num })
  yield* removeDetails(orgId, num)
  yield* send(deleteState, { orgId, num })
  yield* unlistMonitor(orgId, num)
  yield* send(deleteRow, { orgId, num })
  yield* dropToken(monitor)
  // The list last, as in a creation: rows are locked in the same order, and the total for the shortest time.
  yield* emit({ orgId, type: 'monitor.deleted', data: jsonOf(monitor, baseUrl), now })
  yield* removeFromList(orgId, 'monitor', seq)
  return id
}

/** The deleted monitor's JSON, made of the row that was read before. */
function jsonOf(monitor: MonitorToChange, baseUrl: string): string {
  const { rendered, heartbeat_token: token } = monitor
  return monitorJson(rendered, token && heartbeatBase(baseUrl) + token, renderState(monitor)).text
}
