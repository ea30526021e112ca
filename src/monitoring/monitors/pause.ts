import { operation } from '../../contract/operation.ts'
import { Empty } from '../../contract/schema.ts'
import { emit } from '../../events/emit.ts'
import type { DbWork } from '../../storage/query.ts'
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
    'Checks stop and alerts are suppressed. The history is kept, and paused time does not count for uptime. A ' +
    'monitor that is already paused is returned unchanged.',
  params: MonitorParams,
  body: Empty,
  answer: { status: 200, schema: Monitor, description: 'The paused monitor' },
  errors: ['not_found'],
  *handle({ caller, now, installation }, { params }) {
    yield* pause(caller.orgId, params.monitorId, installation.baseUrl, now)
    return yield* monitorFor(caller, params.monitorId, installation)
  },
})

/** Returns whether the monitor changed: a paused one does not. */
export function* pause(orgId: string, id: string, baseUrl: string, now: number): DbWork<boolean> {
  const monitor = yield* monitorToChange(orgId, id)
  if (monitor.state === 'PAUSED') return false
  yield* saveMonitor(orgId, monitor, {}, now)
  const fields = { ...monitor, state: 'PAUSED', last_status_changed_at: now } as const
  const change = { fields, updateMemory: (memory: Memory) => memory, nextCheckAt: () => null }
  yield* applyUserChange(orgId, monitor, parseSettings(monitor.rendered), change, now)
  yield* emit({ orgId, type: 'monitor.paused', data: yield* maskedMonitor(orgId, id, baseUrl), now })
  return true
}
