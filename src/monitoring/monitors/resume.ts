import { operation } from '../../contract/operation.ts'
import { Empty } from '../../contract/schema.ts'
import { emit } from '../../events/emit.ts'
import { settingsIn } from '../monitor-settings/stored.ts'
import { dueAfterChange } from '../monitor-states/due.ts'
import { afresh, type Memory } from '../monitor-states/memory.ts'
import { moveByHand } from '../monitor-states/save.ts'
import { monitorOf, monitorToChange } from './queries.ts'
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
  *handle({ caller: { orgId }, now, installation }, { params }) {
    const monitor = yield* monitorToChange(orgId, params.monitorId)
    const isNews = monitor.state === 'PAUSED'
    if (isNews) {
      yield* saveMonitor(orgId, monitor, {}, now)
      const settings = settingsIn(monitor.shown)
      const standing = { ...monitor, state: 'PENDING', last_status_changed_at: now } as const
      const nextCheckAt = ({ beats }: Memory) => dueAfterChange(settings, beats, now)
      yield* moveByHand(orgId, monitor, settings, { standing, remember: resumed(now), nextCheckAt }, now)
    }
    const running = yield* monitorOf(orgId, params.monitorId, installation.baseUrl)
    if (isNews) yield* emit({ orgId, type: 'monitor.resumed', data: running.text, now })
    return running
  },
})

/** The samples start anew, and a heartbeat is waited for from now on. */
function resumed(now: number) {
  return (memory: Memory): Memory => {
    const { beats, ...rest } = afresh(memory)
    return { ...rest, beats: { started: {}, lastSuccessAt: beats.lastSuccessAt === null ? null : now, failed: false } }
  }
}
