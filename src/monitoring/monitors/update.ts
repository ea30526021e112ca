import { planNamed } from '../../accounts/plans/plans.ts'
import { invalid } from '../../contract/errors.ts'
import { type Installation, LARGE_BODY_BYTES, operation } from '../../contract/operation.ts'
import { emitSeveral } from '../../events/emit.ts'
import { canonicalJson } from '../../lib/json.ts'
import type { Caller } from '../../storage/database.ts'
import type { DbWork } from '../../storage/query.ts'
import { removeDetails } from '../monitor-details/store.ts'
import { fittingOptions } from '../monitor-options/fit.ts'
import { withoutMoved } from '../monitor-options/login.ts'
import { headerFaults, typeFaults } from '../monitor-settings/rules.ts'
import { type MonitorPatch, type MonitorSettings, UpdateMonitor } from '../monitor-settings/schema.ts'
import {
  openOptions,
  openSecrets,
  type ProtectedSettings,
  protectSettings,
  unmaskPatch,
} from '../monitor-settings/secrets.ts'
import { columnsOf, settingsIn, timingIn } from '../monitor-settings/stored.ts'
import { applyUserChanges, type UserChange } from '../monitor-states/apply-user-change.ts'
import { forNewType, withoutSamples } from '../monitor-states/memory.ts'
import { dueAfterChange } from '../monitor-states/schedule.ts'
import { auditEach } from './bulk.ts'
import { permitInterval } from './create.ts'
import { newHeartbeatToken, type StoredToken } from './heartbeat-token.ts'
import { type MonitorToChange, monitorFor, monitorToChange } from './queries.ts'
import { eventOf } from './render.ts'
import { saveMonitors } from './save.ts'
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
    'the plan no longer permits. If `url` gets another host or port, or http instead of https, or `requestHeaders` another Host, the ' +
    'login and the client certificate in the request options are removed, and with another `host` or `port` a dialogue whose steps send ' +
    'something: set them again.',
  params: MonitorParams,
  body: UpdateMonitor,
  bodyLimitBytes: LARGE_BODY_BYTES,
  refine: headerFaults,
  answer: { status: 200, schema: Monitor, description: 'The updated monitor' },
  errors: ['not_found', 'plan_limit'],
  *handle(context, { params, body }) {
    const { caller, now, installation } = context
    const monitor = yield* monitorToChange(caller.orgId, params.monitorId)
    const update = planUpdate(caller, monitor, body, installation)
    if (update !== undefined) yield* applyUpdates(caller.orgId, [update], installation.baseUrl, now)
    for (const [action, fields] of update?.removals ?? []) yield* auditEach(context, action, [monitor], fields)
    return yield* monitorFor(caller, params.monitorId, installation)
  },
})

/** A monitor that is locked, and the settings that it gets. */
interface PlannedUpdate {
  readonly monitor: MonitorToChange
  readonly settings: ProtectedSettings
  /** The names of the fields that get another value. */
  readonly changed: readonly string[]
  /** What of the options was removed, because the address is another one: operations and their fields, for the audit log. */
  readonly removals?: readonly (readonly [operation: string, fields: readonly string[]])[]
  /** Set if the type changes. */
  readonly token?: StoredToken | null
}

const loginFields = ['auth', 'clientCertificate'] as const

/** What a patch changes; undefined if it changes nothing. Throws an `ApiError` if the monitor cannot be changed so. */
export function planUpdate(
  { orgId, plan }: Pick<Caller, 'orgId' | 'plan'>,
  monitor: MonitorToChange,
  body: MonitorPatch,
  { sealer }: Pick<Installation, 'sealer'>,
): PlannedUpdate | undefined {
  const owner = { orgId, id: monitor.id }
  const before = { ...settingsIn(monitor), ...openSecrets(monitor.secrets, owner, sealer) }
  const { patch, faults: maskFaults } = unmaskPatch(body, before)
  const after = { ...before, ...patch } as MonitorSettings
  const changed = changedFields(before, patch)
  const faults = [...typeFaults(after, changed), ...maskFaults]
  if (faults.length > 0) throw invalid(faults)
  if (changed.length === 0) return undefined
  // The plan may have changed since: a shorter interval that the monitor already has stays.
  if (changed.includes('intervalSeconds')) permitInterval(planNamed(plan), after.intervalSeconds)
  const fitting = fittingOptions(openOptions(monitor, owner, sealer), after.type)
  const options = withoutMoved(fitting, before, after)
  const login = loginFields.filter((field) => fitting.request?.[field] !== options.request?.[field])
  const isSilenced = fitting.dialogue !== options.dialogue
  return {
    monitor,
    settings: protectSettings(after, owner, sealer, options),
    removals: [
      ...(login.length > 0 ? [['setMonitorRequest', login] as const] : []),
      ...(isSilenced ? [['removeMonitorDialogue', []] as const] : []),
    ],
    changed: [...changed, ...(login.length > 0 ? ['request'] : []), ...(isSilenced ? ['dialogue'] : [])],
    ...(changed.includes('type') && { token: after.type === 'CRON' ? newHeartbeatToken(owner, sealer) : null }),
  }
}

/** Saves updates and emits an event for each. */
export function* applyUpdates(
  orgId: string,
  updates: readonly PlannedUpdate[],
  baseUrl: string,
  now: number,
): DbWork<void> {
  if (updates.length === 0) return
  for (const { monitor, changed } of updates) {
    if (changed.some((field) => targetFields.has(field))) yield* removeDetails(orgId, [monitor.num])
  }
  const saved = yield* saveMonitors(orgId, updates, now)
  const states = updates.map((update) => stateAfter(update, now))
  yield* applyUserChanges(
    orgId,
    // A new name, note or old address does not affect checks, so the result of a check under way is still saved.
    states.filter((_, i) => (updates[i] as PlannedUpdate).changed.some((field) => !textFields.has(field))),
    now,
  )
  yield* emitSeveral({ orgId, type: 'monitor.updated', now }, () =>
    states.map(({ fields }, i) => {
      const { changed } = updates[i] as PlannedUpdate
      return eventOf(saved[i] as MonitorToChange, fields, baseUrl, changed)
    }),
  )
}

const textFields = new Set(['name', 'notes', 'legacyAddress'])

/** Earlier samples still count when only these change. */
const timingFields = new Set([
  ...textFields,
  ...['intervalSeconds', 'timeoutSeconds', 'expectedPeriodSec', 'graceSeconds', 'schedule', 'confirmation'],
])

/** What was found at the earlier target does not apply when one of these changes. */
const targetFields = new Set(['type', 'url', 'dnsRecordType'])

function stateAfter({ monitor, settings, changed }: PlannedUpdate, now: number): UserChange {
  const isNewType = changed.includes('type')
  const isPaused = monitor.state === 'PAUSED'
  // The state that a check of another type found does not apply to the new type.
  const unknown = {
    state: 'PENDING',
    last_status_changed_at: now,
    last_response_ms: null,
    cert_expires_at: null,
  } as const
  const timing = timingIn(columnsOf(settings))
  const keepsSamples = changed.every((field) => timingFields.has(field))
  return {
    row: monitor,
    timing: timingIn(monitor),
    fields: isNewType && !isPaused ? { ...monitor, ...unknown } : monitor,
    updateMemory: isNewType ? forNewType : keepsSamples ? (memory) => memory : withoutSamples,
    nextCheckAt: ({ heartbeats }) => (isPaused ? null : dueAfterChange(timing, heartbeats, now)),
  }
}

/** The fields that the patch gives a different value. */
function changedFields(before: MonitorSettings, patch: MonitorPatch): string[] {
  return Object.entries(patch)
    .filter(([field, value]) => canonicalJson(value) !== canonicalJson(before[field as keyof MonitorSettings]))
    .map(([field]) => field)
}
