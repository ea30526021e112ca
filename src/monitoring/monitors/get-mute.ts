import { operation } from '../../contract/operation.ts'
import { execute, q } from '../../storage/query.ts'
import { Mute, notMuted, onMute, renderMute } from './mutes.ts'
import { numOf } from './queries.ts'

export const getMonitorMute = operation({
  ...onMute,
  id: 'getMonitorMute',
  method: 'GET',
  access: 'read',
  summary: "Get a monitor's mute",
  description: 'All fields are null if the monitor is not muted.',
  answer: { status: 200, schema: Mute, description: 'Until when its alerts are muted' },
  *handle({ caller: { orgId }, now }, { params }) {
    const num = yield* numOf(orgId, params.monitorId)
    const mutes = q.selectFrom('monitor_mutes').selectAll().where('monitor_num', '=', num).where('org_id', '=', orgId)
    const [row] = yield* execute(mutes.where('until', '>', now))
    return row === undefined ? notMuted : renderMute(row)
  },
})
