import { operation } from '../../contract/operation.ts'
import { Mute, notMuted, onMute, unmute } from './mutes.ts'
import { numOf } from './queries.ts'

export const unmuteMonitor = operation({
  ...onMute,
  id: 'unmuteMonitor',
  method: 'DELETE',
  access: 'write',
  summary: 'End the mute of a monitor',
  description: 'Contacts get the alerts of what is still open. A monitor that is not muted stays as it is.',
  notifies: true,
  answer: { status: 200, schema: Mute, description: 'No mute' },
  *handle(context, { params }) {
    const num = yield* numOf(context.caller.orgId, params.monitorId)
    yield* unmute(context, [{ id: params.monitorId, num }])
    return notMuted
  },
})
