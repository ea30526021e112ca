import { operation } from '../../contract/operation.ts'
import { Empty } from '../../contract/schema.ts'
import { emit } from '../../events/emit.ts'
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
    'It is checked straight away and stays PENDING until that check lands. One that is not paused is returned unchanged.',
  params: MonitorParams,
  body: Empty,
  answer: { status: 200, schema: Monitor, description: 'The monitor as it is now' },
  errors: ['not_found'],
  *handle({ caller, now, installation }, { params }) {
    const { orgId } = caller
    const monitor = yield* monitorToChange(orgId, params.monitorId)
    const isChanged = monitor.state === 'PAUSED'
    if (isChanged) {
      yield* saveMonitor(orgId, monitor, {}, now)
      const settings = parseSettings(monitor.rendered)
      const fields = { ...monitor, state: 'PENDING', last_status_changed_at: now } as const
      const nextCheckAt = ({ heartbeats }: Memory) => dueAfterChange(settings, heartbeats, now)
      yield* applyUserChange(orgId, monitor, settings, { fields, updateMemory: resumed(now), nextCheckAt }, now)
    }
    if (isChanged) {
      const data = yield* maskedMonitor(orgId, params.monitorId, installation.baseUrl)
      yield* emit({ orgId, type: 'monitor.resumed', data, now })
    }
    return yield* monitorFor(caller, params.monitorId, installation)
  },
})

/** Earlier samples no longer count, and the heartbeat deadline counts from the resume. */
function resumed(now: number) {
  return (memory: Memory): Memory => {
    const lastSuccessAt = memory.heartbeats.lastSuccessAt === null ? null : now
    return { ...withoutSamples(memory), heartbeats: { started: {}, lastSuccessAt, failed: false } }
  }
}
