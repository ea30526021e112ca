import { planNamed } from '../../accounts/plans/plans.ts'
import { invalid } from '../../contract/errors.ts'
import { operation } from '../../contract/operation.ts'
import { emit } from '../../events/emit.ts'
import { canonicalJson } from '../../lib/json.ts'
import type { DbWork } from '../../storage/query.ts'
import { headerFaults, typeFaults } from '../monitor-settings/rules.ts'
import { type MonitorPatch, type MonitorSettings, UpdateMonitor } from '../monitor-settings/schema.ts'
import { settingsIn } from '../monitor-settings/stored.ts'
import { dueAfterChange } from '../monitor-states/due.ts'
import { afresh, asAnotherType, type Memory } from '../monitor-states/memory.ts'
import { moveByHand } from '../monitor-states/save.ts'
import { permitInterval } from './create.ts'
import { exchangeToken } from './heartbeat-token.ts'
import { type MonitorToChange, monitorOf, monitorToChange } from './queries.ts'
import { saveMonitor } from './save.ts'
import { Monitor, MonitorParams } from './schema.ts'

export const updateMonitor = operation({
  id: 'updateMonitor',
  method: 'PATCH',
  path: '/monitors/:monitorId',
  access: 'write',
  tag: 'Monitors',
  summary: 'Update a monitor',
  description:
    'Fields left out keep their values. The result is validated as a whole; if it is inconsistent nothing changes.',
  params: MonitorParams,
  body: UpdateMonitor,
  refine: headerFaults,
  answer: { status: 200, schema: Monitor, description: 'The monitor as it is now' },
  errors: ['not_found', 'plan_limit'],
  *handle({ caller, now, installation }, { params, body }) {
    const monitor = yield* monitorToChange(caller.orgId, params.monitorId)
    const before = settingsIn(monitor.shown)
    const after = { ...before, ...body } as MonitorSettings
    const faults = typeFaults(after)
    if (faults.length > 0) throw invalid(faults)
    if (body.intervalSeconds !== undefined) permitInterval(planNamed(caller.plan), body.intervalSeconds)
    const changed = changedFields(before, body)
    if (changed.length > 0) yield* apply(caller.orgId, monitor, after, changed, now)
    const updated = yield* monitorOf(caller.orgId, params.monitorId, installation.baseUrl)
    if (changed.length > 0) {
      const data = withChanged(updated.text, changed)
      yield* emit({ orgId: caller.orgId, type: 'monitor.updated', data, now })
    }
    return updated
  },
})

/** The monitor, and the names of the fields that are new. */
function withChanged(monitor: string, changed: readonly string[]): string {
  return `${monitor.slice(0, -1)},"changed":${JSON.stringify(changed)}}`
}

/** How often and how patiently a target is looked at: what was measured of it still counts when these change. */
const rhythm = new Set(['name', 'intervalSeconds', 'timeoutSeconds', 'expectedPeriodSec', 'graceSeconds'])

function* apply(
  orgId: string,
  monitor: MonitorToChange,
  settings: MonitorSettings,
  changed: readonly string[],
  now: number,
): DbWork<void> {
  // A new name changes nothing about what is checked, so a check under way may still land.
  const sameTarget = changed.every((field) => field === 'name')
  const newType = changed.includes('type')
  const token = newType ? yield* exchangeToken(orgId, monitor, settings.type) : monitor.heartbeat_token
  yield* saveMonitor(orgId, monitor, { settings, token }, now)
  if (sameTarget) return
  const paused = monitor.state === 'PAUSED'
  // What was found out about another kind of target says nothing about this one.
  const anew = { state: 'PENDING', last_status_changed_at: now, last_response_ms: null, cert_expires_at: null } as const
  const standing = newType && !paused ? { ...monitor, ...anew } : monitor
  const nextCheckAt = ({ beats }: Memory) => (paused ? null : dueAfterChange(settings, beats, now))
  const sameSamples = changed.every((field) => rhythm.has(field))
  const remember = newType ? asAnotherType : sameSamples ? (memory: Memory) => memory : afresh
  const change = { standing, remember, nextCheckAt }
  // The time until now was watched by the old settings, and is believed by them.
  yield* moveByHand(orgId, monitor, settingsIn(monitor.shown), change, now)
}

/** The fields that a patch gives another value, not merely names. */
export function changedFields(before: MonitorSettings, patch: MonitorPatch): string[] {
  return Object.entries(patch)
    .filter(([field, value]) => canonicalJson(value) !== canonicalJson(before[field as keyof MonitorSettings]))
    .map(([field]) => field)
}
