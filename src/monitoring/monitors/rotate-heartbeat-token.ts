import { ApiError } from '../../contract/errors.ts'
import { operation } from '../../contract/operation.ts'
import { Empty } from '../../contract/schema.ts'
import { emit } from '../../events/emit.ts'
import { reason } from '../../reasons/reason.ts'
import { newHeartbeatToken } from './heartbeat-token.ts'
import { monitorFor, monitorToChange } from './queries.ts'
import { eventOf } from './render.ts'
import { saveMonitors } from './save.ts'
import { Monitor, MonitorParams } from './schema.ts'

export const rotateHeartbeatToken = operation({
  id: 'rotateHeartbeatToken',
  method: 'POST',
  path: '/monitors/:monitorId/heartbeat-token/rotate',
  access: 'write',
  extension: true,
  tag: 'Monitors',
  summary: 'Replace a heartbeat URL',
  description:
    'Gives a CRON monitor a new `heartbeatUrl`. The old one stops working immediately: change the job as well. A monitor of another ' +
    'type is a conflict.',
  params: MonitorParams,
  body: Empty,
  bodyRequired: false,
  answer: { status: 200, schema: Monitor, description: 'The monitor, with its new URL' },
  errors: ['not_found', 'conflict'],
  *handle({ caller, now, installation }, { params }) {
    const { orgId } = caller
    const { baseUrl, sealer } = installation
    const monitor = yield* monitorToChange(orgId, params.monitorId)
    if (monitor.type !== 'CRON') throw new ApiError('conflict', reason('only_cron'))
    const token = newHeartbeatToken({ orgId, id: monitor.id }, sealer)
    const [saved = monitor] = yield* saveMonitors(orgId, [{ monitor, token }], now)
    const data = eventOf(saved, monitor, baseUrl, ['heartbeatUrl'])
    yield* emit({ orgId, type: 'monitor.updated', data, now })
    return yield* monitorFor(caller, monitor.id, installation)
  },
})
