import { operation } from '../../contract/operation.ts'
import { Empty } from '../../contract/schema.ts'
import { emit } from '../../events/emit.ts'
import { parseSettings } from '../monitor-settings/stored.ts'
import { applyUserChange } from '../monitor-states/apply-user-change.ts'
import type { Memory } from '../monitor-states/memory.ts'
import { maskedMonitor, monitorFor, monitorToChange } from './queries.ts'
import { saveMonitor } from './save.ts'
import { Monitor, MonitorParams } from './schema.ts'

export const pauseMonitor = operation({
  id: 'pauseMonitor',
  method: 'POST',
  path: '/monitors/:monitorId/pause',
  access: 'write',
  tag: 'Monitors',
  summary: 'Pause a monitor',
  description:
    'Checks stop and alerts are suppressed; the history is kept, and paused time is left out of uptime. ' +
    'A paused monitor is returned unchanged.',
  params: MonitorParams,
  body: Empty,
  answer: { status: 200, schema: Monitor, description: 'The paused monitor' },
  errors: ['not_found'],
  *handle({ caller, now, installation }, { params }) {
    const { orgId } = caller
    const monitor = yield* monitorToChange(orgId, params.monitorId)
    const isChanged = monitor.state !== 'PAUSED'
    if (isChanged) {
      yield* saveMonitor(orgId, monitor, {}, now)
      const fields = { ...monitor, state: 'PAUSED', last_status_changed_at: now } as const
      const change = { fields, updateMemory: (memory: Memory) => memory, nextCheckAt: () => null }
      yield* applyUserChange(orgId, monitor, parseSettings(monitor.rendered), change, now)
    }
    if (isChanged) {
      const data = yield* maskedMonitor(orgId, params.monitorId, installation.baseUrl)
      yield* emit({ orgId, type: 'monitor.paused', data, now })
    }
    return yield* monitorFor(caller, params.monitorId, installation)
  },
})
