import { ApiError } from '../../contract/errors.ts'
import { operation } from '../../contract/operation.ts'
import { Empty } from '../../contract/schema.ts'
import { reason } from '../../reasons/reason.ts'
import type { DbWork } from '../../storage/query.ts'
import { timingIn } from '../monitor-settings/stored.ts'
import type { Memory } from '../monitor-states/memory.ts'
import { applyStateChanges } from './apply-state-changes.ts'
import { type MonitorToChange, monitorFor, monitorToChange } from './queries.ts'
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
    const monitor = yield* monitorToChange(caller.orgId, params.monitorId)
    yield* pause(caller.orgId, [monitor], installation.baseUrl, now)
    return yield* monitorFor(caller, params.monitorId, installation)
  },
})

/** Pauses monitors that are locked. Returns the ids of those that changed: a paused one does not. */
export function* pause(
  orgId: string,
  monitors: readonly MonitorToChange[],
  baseUrl: string,
  now: number,
): DbWork<ReadonlySet<string>> {
  const changes = monitors
    .filter(({ state }) => state !== 'PAUSED')
    .map((monitor) => ({
      row: monitor,
      timing: timingIn(monitor),
      fields: { ...monitor, state: 'PAUSED', last_status_changed_at: now } as const,
      updateMemory: (memory: Memory) => memory,
      nextCheckAt: () => null,
    }))
  yield* applyStateChanges(orgId, 'monitor.paused', changes, baseUrl, now)
  return new Set(changes.map(({ row }) => row.id))
}

/** What an operation answers that needs a monitor that is not paused. */
export function monitorIsPaused(): ApiError {
  return new ApiError('conflict', reason('monitor_paused'))
}
