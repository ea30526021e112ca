import { operation } from '../../contract/operation.ts'
import { body } from '../../contract/schema.ts'
import { Mute, MutedUntil, mute, mutedUntil, onMute, renderMute } from './mutes.ts'
import { numOf } from './queries.ts'

export const muteMonitor = operation({
  ...onMute,
  id: 'muteMonitor',
  method: 'PUT',
  access: 'write',
  summary: 'Mute the alerts of a monitor',
  description:
    'Nobody is alerted until then. Checks, incidents, uptime, status pages and webhooks go on. The mute ends by itself: contacts ' +
    'then get the alerts of what is still open. What began and ended meanwhile is recorded as MUTED and not sent.',
  body: body('MuteMonitor', { until: MutedUntil }),
  answer: { status: 200, schema: Mute, description: 'The mute' },
  *handle(context, { params, body: { until } }) {
    const { orgId } = context.caller
    const num = yield* numOf(orgId, params.monitorId)
    return renderMute(yield* mute(context, [{ id: params.monitorId, num }], mutedUntil(until, context.now)))
  },
})
