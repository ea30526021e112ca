import { operation } from '../../contract/operation.ts'
import { Empty } from '../../contract/schema.ts'
import { emit } from '../../events/emit.ts'
import type { DbWork } from '../../storage/query.ts'
import { parseSettings } from '../monitor-settings/stored.ts'
import { applyUserChange } from '../monitor-states/apply-user-change.ts'
import { type Memory, withoutSamples } from '../monitor-states/memory.ts'
import { dueAfterChange } from '../monitor-states/schedule.ts'
import { maskedMonitor, monitorFor, monitorToChange } from './queries.ts'
import { saveMonitor } from './save.ts'
import { Monitor, MonitorParams } from './schema.ts'

export const resumeMonitor = operation({
  id: 'resumeMonitor',
  method: 'POST',
  path: '/monitors/:monitorId/resume',
  access: 'write',
  tag: 'Monitors',
  summary: 'Resume a monitor',
  description:
    'The monitor is checked immediately and stays PENDING until that check ends. A monitor that is not paused ' +
    'is returned unchanged.',
  params: MonitorParams,
  body: Empty,
  answer: { status: 200, schema: Monitor, description: 'The updated monitor' },
  errors: ['not_found'],
  *handle({ caller, now, installation }, { params }) {
    yield* resume(caller.orgId, params.monitorId, installation.baseUrl, now)
    return yield* monitorFor(caller, params.monitorId, installation)
  },
})

/** Returns whether the monitor changed: one that is not paused does not. */
export function* resume(orgId: string, id: string, baseUrl: string, now: number): DbWork<boolean> {
  const monitor = yield* monitorToChange(orgId, id)
  if (monitor.state !== 'PAUSED') return false
  yield* saveMonitor(orgId, monitor, {}, now)
  const settings = parseSettings(monitor.rendered)
  const fields = { ...monitor, state: 'PENDING', last_status_changed_at: now } as const
  const nextCheckAt = ({ heartbeats }: Memory) => dueAfterChange(settings, heartbeats, now)
  yield* applyUserChange(orgId, monitor, settings, { fields, updateMemory: resumed(now), nextCheckAt }, now)
  yield* emit({ orgId, type: 'monitor.resumed', data: yield* maskedMonitor(orgId, id, baseUrl), now })
  return true
}

/** Earlier samples no longer count, and the heartbeat deadline counts from the resume. */
function resumed(now: number) {
  return (memory: Memory): Memory => {
    const lastSuccessAt = memory.heartbeats.lastSuccessAt === null ? null : now
    return { ...withoutSamples(memory), heartbeats: { started: {}, lastSuccessAt, failed: false } }
  }
}
