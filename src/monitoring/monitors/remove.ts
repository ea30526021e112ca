import { operation } from '../../contract/operation.ts'
import { Deleted } from '../../contract/schema.ts'
import { emit } from '../../events/emit.ts'
import { endProblemsSilently } from '../../notifications/contacts/queries.ts'
import { removeMonitorFromPublishedIncidents } from '../../publishing/published-incidents/remove-monitor.ts'
import { removeMonitorFromPages } from '../../publishing/status-pages/remove-monitor.ts'
import { q, run, statement } from '../../storage/query.ts'
import { removeFromList } from '../../storage/list-index.ts'
import { forgetIncidents } from '../incidents/queries.ts'
import { takeOutOfWindows } from '../maintenance/queries.ts'
import { standingText } from '../monitor-states/state.ts'
import { dropToken } from './heartbeat-token.ts'
import { type MonitorToChange, monitorToChange } from './queries.ts'
import { heartbeatBase, monitorJson } from './render.ts'
import { MonitorParams } from './schema.ts'

interface Gone {
  orgId: string
  num: number
}

const dropState = statement(({ orgId, num }: Gone) =>
  q.deleteFrom('monitor_states').where('org_id', '=', orgId).where('num', '=', num),
)

const dropMonitor = statement(({ orgId, num }: Gone) =>
  q.deleteFrom('monitors').where('org_id', '=', orgId).where('num', '=', num),
)

/** Raw results go with the part they are in: a number is never given twice, so nobody can reach them until then. */
const histories = (['rollup_hours', 'rollup_days', 'heartbeats'] as const).map((table) =>
  statement(({ orgId, num }: Gone) => q.deleteFrom(table).where('num', '=', num).where('org_id', '=', orgId)),
)

export const deleteMonitor = operation({
  id: 'deleteMonitor',
  method: 'DELETE',
  path: '/monitors/:monitorId',
  access: 'write',
  tag: 'Monitors',
  summary: 'Delete a monitor',
  description: 'Permanently, with its check history and incidents.',
  params: MonitorParams,
  answer: { status: 200, schema: Deleted, description: 'The id of what was deleted' },
  errors: ['not_found'],
  *handle({ caller: { orgId }, now, installation }, { params }) {
    const monitor = yield* monitorToChange(orgId, params.monitorId)
    const { num, seq, id } = monitor
    yield* removeMonitorFromPages(orgId, monitor, now)
    yield* removeMonitorFromPublishedIncidents(orgId, monitor, now)
    yield* takeOutOfWindows(orgId, monitor, now)
    yield* endProblemsSilently({ orgId, monitorId: id, incidentId: monitor.open_incident, at: now })
    yield* forgetIncidents(orgId, num)
    for (const history of histories) yield* run(history, { orgId, num })
    yield* run(dropState, { orgId, num })
    yield* run(dropMonitor, { orgId, num })
    yield* dropToken(monitor)
    yield* removeFromList(orgId, 'monitor', seq)
    yield* emit({ orgId, type: 'monitor.deleted', data: lastSeen(monitor, installation.baseUrl), now })
    return { data: { id } }
  },
})

/** The monitor as it was, for nothing is left of it to be read. */
function lastSeen(monitor: MonitorToChange, baseUrl: string): string {
  const { shown, heartbeat_token: token } = monitor
  return monitorJson(shown, token && heartbeatBase(baseUrl) + token, standingText(monitor)).text
}
