import { operation } from '../../contract/operation.ts'
import { Empty } from '../../contract/schema.ts'
import type { DbWork } from '../../storage/query.ts'
import { timingIn } from '../monitor-settings/stored.ts'
import { type Memory, withoutSamples } from '../monitor-states/memory.ts'
import { dueAfterChange } from '../monitor-states/schedule.ts'
import { applyStateChanges } from './apply-state-changes.ts'
import { type MonitorToChange, monitorFor, monitorToChange } from './queries.ts'
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
    const monitor = yield* monitorToChange(caller.orgId, params.monitorId)
    yield* resume(caller.orgId, [monitor], installation.baseUrl, now)
    return yield* monitorFor(caller, params.monitorId, installation)
  },
})

/** Resumes monitors that are locked. Returns the ids of those that changed: one that is not paused does not. */
export function* resume(
  orgId: string,
  monitors: readonly MonitorToChange[],
  baseUrl: string,
  now: number,
): DbWork<ReadonlySet<string>> {
  const changes = monitors
    .filter(({ state }) => state === 'PAUSED')
    .map((monitor) => {
      const timing = timingIn(monitor)
      return {
        row: monitor,
        timing,
        fields: { ...monitor, state: 'PENDING', last_status_changed_at: now } as const,
        updateMemory: resumed(now),
        nextCheckAt: ({ heartbeats }: Memory) => dueAfterChange(timing, heartbeats, now),
      }
    })
  yield* applyStateChanges(orgId, 'monitor.resumed', changes, baseUrl, now)
  return new Set(changes.map(({ row }) => row.id))
}

/** Earlier samples no longer count, and the heartbeat deadline counts from the resume. */
function resumed(now: number) {
  return (memory: Memory): Memory => {
    const lastSuccessAt = memory.heartbeats.lastSuccessAt === null ? null : now
    return { ...withoutSamples(memory), heartbeats: { started: {}, lastSuccessAt, failed: false } }
  }
}
