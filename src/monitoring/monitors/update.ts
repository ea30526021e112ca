import { planNamed } from '../../accounts/plans/plans.ts'
import { invalid } from '../../contract/errors.ts'
import { type Installation, operation } from '../../contract/operation.ts'
import { emit } from '../../events/emit.ts'
import { canonicalJson } from '../../lib/json.ts'
import type { Caller } from '../../storage/database.ts'
import type { DbWork } from '../../storage/query.ts'
import { removeDetails } from '../monitor-details/store.ts'
import { headerFaults, typeFaults } from '../monitor-settings/rules.ts'
import { type MonitorPatch, type MonitorSettings, UpdateMonitor } from '../monitor-settings/schema.ts'
import { openSecrets, type ProtectedSettings, protectSettings, unmaskPatch } from '../monitor-settings/secrets.ts'
import { parseSettings } from '../monitor-settings/stored.ts'
import { applyUserChange } from '../monitor-states/apply-user-change.ts'
import { forNewType, type Memory, withoutSamples } from '../monitor-states/memory.ts'
import { dueAfterChange } from '../monitor-states/schedule.ts'
import { permitInterval } from './create.ts'
import { exchangeToken } from './heartbeat-token.ts'
import { type MonitorToChange, maskedMonitor, monitorFor, monitorToChange } from './queries.ts'
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
    'Omitted fields keep their values. The result is validated as a whole; if it is inconsistent, nothing ' +
    'changes. A target that an earlier version accepted stays valid as long as it is not changed, and so does an interval that ' +
    'the plan no longer permits.',
  params: MonitorParams,
  body: UpdateMonitor,
  refine: headerFaults,
  answer: { status: 200, schema: Monitor, description: 'The updated monitor' },
  errors: ['not_found', 'plan_limit'],
  *handle({ caller, now, installation }, { params, body }) {
    const monitor = yield* monitorToChange(caller.orgId, params.monitorId)
    yield* update(caller, monitor, body, installation, now)
    return yield* monitorFor(caller, params.monitorId, installation)
  },
})

/** Returns whether the patch changed anything. The monitor is locked. */
export function* update(
  { orgId, plan }: Pick<Caller, 'orgId' | 'plan'>,
  monitor: MonitorToChange,
  body: MonitorPatch,
  { sealer, baseUrl }: Pick<Installation, 'sealer' | 'baseUrl'>,
  now: number,
): DbWork<boolean> {
  const owner = { orgId, id: monitor.id }
  const before = { ...parseSettings(monitor.rendered), ...openSecrets(monitor.secrets, owner, sealer) }
  const { patch, faults: maskFaults } = unmaskPatch(body, before)
  const after = { ...before, ...patch } as MonitorSettings
  const changed = changedFields(before, patch)
  const faults = [...typeFaults(after, changed), ...maskFaults]
  if (faults.length > 0) throw invalid(faults)
  if (changed.length === 0) return false
  // The plan may have changed since: a shorter interval that the monitor already has stays.
  if (changed.includes('intervalSeconds')) permitInterval(planNamed(plan), after.intervalSeconds)
  yield* apply(orgId, monitor, protectSettings(after, owner, sealer), changed, now)
  const updated = yield* maskedMonitor(orgId, monitor.id, baseUrl)
  yield* emit({ orgId, type: 'monitor.updated', data: withChanged(updated, changed), now })
  return true
}

/** The monitor's JSON with a member that names the changed fields. */
function withChanged(monitor: string, changed: readonly string[]): string {
  return `${monitor.slice(0, -1)},"changed":${JSON.stringify(changed)}}`
}

/** Earlier samples still count when only these change. */
const timingFields = new Set(['name', 'intervalSeconds', 'timeoutSeconds', 'expectedPeriodSec', 'graceSeconds'])

/** What was found at the earlier target does not apply when one of these changes. */
const targetFields = new Set(['type', 'url', 'dnsRecordType'])

function* apply(
  orgId: string,
  monitor: MonitorToChange,
  settings: ProtectedSettings,
  changed: readonly string[],
  now: number,
): DbWork<void> {
  // A new name does not affect checks, so the result of a check under way is still saved.
  const isOnlyName = changed.every((field) => field === 'name')
  const isNewType = changed.includes('type')
  const token = isNewType ? yield* exchangeToken(orgId, monitor, settings.masked.type) : monitor.heartbeat_token
  yield* saveMonitor(orgId, monitor, { settings, token }, now)
  if (isOnlyName) return
  const isPaused = monitor.state === 'PAUSED'
  // The state that a check of another type found does not apply to the new type.
  const unknown = {
    state: 'PENDING',
    last_status_changed_at: now,
    last_response_ms: null,
    cert_expires_at: null,
  } as const
  const fields = isNewType && !isPaused ? { ...monitor, ...unknown } : monitor
  const nextCheckAt = ({ heartbeats }: Memory) => (isPaused ? null : dueAfterChange(settings.masked, heartbeats, now))
  const keepsSamples = changed.every((field) => timingFields.has(field))
  const updateMemory = isNewType ? forNewType : keepsSamples ? (memory: Memory) => memory : withoutSamples
  if (changed.some((field) => targetFields.has(field))) yield* removeDetails(orgId, monitor.num)
  const change = { fields, updateMemory, nextCheckAt }
  yield* applyUserChange(orgId, monitor, parseSettings(monitor.rendered), change, now)
}

/** The fields that the patch gives a different value. */
function changedFields(before: MonitorSettings, patch: MonitorPatch): string[] {
  return Object.entries(patch)
    .filter(([field, value]) => canonicalJson(value) !== canonicalJson(before[field as keyof MonitorSettings]))
    .map(([field]) => field)
}
