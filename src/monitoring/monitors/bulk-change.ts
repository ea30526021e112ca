import Type from 'typebox'
import { ApiError, type Fault } from '../../contract/errors.ts'
import { LARGE_BODY_BYTES, type OperationContext, operation } from '../../contract/operation.ts'
import { body, forbidding, having, oneOf } from '../../contract/schema.ts'
import { type Labels, MAX_LABELS } from '../../lib/selector.ts'
import { labelsOf } from '../../storage/labels/read.ts'
import { removeFromList } from '../../storage/list-index.ts'
import { type DbWork, notifyWatchers } from '../../storage/query.ts'
import { changeLabels, type LabelChange, type LabelListener, lockLabels } from '../labels/save.ts'
import { LabelChanges, labelFaults } from '../labels/schema.ts'
import { makeDue } from '../monitor-states/make-due.ts'
import {
  auditEach,
  type BulkMonitors,
  BulkResult,
  bulkMonitors,
  bulkResult,
  bulkTargets,
  changeInPortions,
  forbiddenTargets,
  MAX_BULK_MONITORS,
  targetFaults,
} from './bulk.ts'
import { MutedUntil, mute, mutedUntil, unmute } from './mutes.ts'
import { monitorIsPaused, pause } from './pause.ts'
import type { MonitorToChange } from './queries.ts'
import { type OnMonitorsDeleted, remove } from './remove.ts'
import { resume } from './resume.ts'

const bulkActions = ['PAUSE', 'RESUME', 'CHECK', 'DELETE', 'LABEL', 'MUTE', 'UNMUTE'] as const

const fields = body('ChangeMonitors', {
  ...bulkTargets,
  action: oneOf(bulkActions, {
    description:
      'CHECK makes the monitors due now and does not wait for the checks. LABEL sets and removes the labels in `labels`. ' +
      'MUTE mutes their alerts until `until`.',
  }),
  labels: Type.Optional(LabelChanges),
  until: Type.Optional(MutedUntil),
})

/** Actions that need a field, which no other action has. */
const ownFields = [
  { action: 'LABEL', field: 'labels' },
  { action: 'MUTE', field: 'until' },
] as const

const forbiddenFields = ownFields.flatMap(({ action, field }) => {
  const isAction = { required: ['action'], properties: { action: { const: action } } }
  return [
    { ...isAction, not: having(field) },
    { ...having(field), not: isAction },
  ]
})

const Body = forbidding(fields, ...forbiddenTargets, ...forbiddenFields)

/** The listeners are those of the operations on one monitor. */
export const changeMonitors = (onDeleted: readonly OnMonitorsDeleted[], onLabels: readonly LabelListener[]) =>
  operation({
    id: 'changeMonitors',
    method: 'POST',
    path: '/monitors/bulk',
    access: 'write',
    extension: true,
    tag: 'Monitors',
    bulk: true,
    // Every monitor has an audit entry of its own.
    skipsAudit: true,
    summary: 'Pause, resume, check, delete, label or mute several monitors',
    description:
      `By id or by selector, at most ${MAX_BULK_MONITORS} monitors. In one transaction, with the events and audit entries of ` +
      'the operations on one monitor. Monitors that cannot be changed are reported; the others are changed.',
    body: Body,
    bodyLimitBytes: LARGE_BODY_BYTES,
    refine: (given) => [...targetFaults(given), ...actionFaults(given), ...labelFaults(given)],
    answer: { status: 200, schema: BulkResult, description: 'What happened to each monitor' },
    *handle(context, { body: given }) {
      const { caller, installation, now } = context
      const { orgId } = caller
      const { baseUrl } = installation
      if (given.action === 'LABEL' || given.action === 'DELETE') yield* lockLabels(orgId)
      const monitors = yield* bulkMonitors(orgId, given, lockFor(given.action))
      switch (given.action) {
        case 'PAUSE':
          return yield* changeAll(context, 'pauseMonitor', monitors, (some) => pause(orgId, some, baseUrl, now))
        case 'RESUME':
          return yield* changeAll(context, 'resumeMonitor', monitors, (some) => resume(orgId, some, baseUrl, now))
        case 'DELETE':
          return yield* deleteAll(context, monitors, onDeleted)
        case 'CHECK':
          return yield* checkAll(context, monitors)
        case 'LABEL':
          return yield* labelAll(context, monitors, given.labels ?? {}, onLabels)
        case 'MUTE':
          return yield* muteAll(context, monitors, mutedUntil(given.until ?? '', now))
        case 'UNMUTE':
          return yield* unmuteAll(context, monitors)
      }
    },
  })

function lockFor(action: (typeof bulkActions)[number]): 'refer' | 'label' | 'change' {
  if (action === 'CHECK' || action === 'MUTE' || action === 'UNMUTE') return 'refer'
  return action === 'LABEL' ? 'label' : 'change'
}

function actionFaults(given: Readonly<Record<string, unknown>>): Fault[] {
  return ownFields.flatMap(({ action, field }) => {
    const isMissing = given[field] === undefined
    if (isMissing !== (given.action === action)) return []
    return [
      {
        path: field,
        message: isMissing ? `is required with action ${action}` : `is allowed only with action ${action}`,
      },
    ]
  })
}

function* changeAll(
  context: OperationContext,
  action: string,
  monitors: BulkMonitors,
  change: (some: readonly MonitorToChange[]) => DbWork<ReadonlySet<string>>,
) {
  const changed = yield* changeInPortions(context.caller.orgId, monitors, change)
  yield* auditEach(context, action, monitors.existing)
  return bulkResult(monitors, ({ id }) => changed.has(id))
}

function* deleteAll(context: OperationContext, monitors: BulkMonitors, listeners: readonly OnMonitorsDeleted[]) {
  const { caller, installation, now } = context
  const { orgId } = caller
  const result = yield* changeAll(context, 'deleteMonitor', monitors, function* (some) {
    yield* remove(orgId, some, listeners, installation.baseUrl, now)
    return new Set(some.map(({ id }) => id))
  })
  yield* removeFromList(orgId, 'monitor', monitors.existing.length)
  return result
}

function* checkAll(context: OperationContext, monitors: BulkMonitors) {
  const { orgId } = context.caller
  const checked = monitors.existing.filter(({ state }) => state !== 'PAUSED')
  const nums = checked.map(({ num }) => num)
  const due = new Set(yield* makeDue(orgId, nums, context.now))
  yield* auditEach(context, 'checkMonitor', checked)
  return bulkResult(monitors, ({ num, state }) => (state === 'PAUSED' ? monitorIsPaused() : due.has(num)))
}

function* muteAll(context: OperationContext, monitors: BulkMonitors, until: number) {
  yield* mute(context, monitors.existing, until)
  yield* notifyWatchers({ orgId: context.caller.orgId, kind: 'monitor', id: null })
  yield* auditEach(context, 'muteMonitor', monitors.existing, ['until'])
  return bulkResult(monitors, () => true)
}

function* unmuteAll(context: OperationContext, monitors: BulkMonitors) {
  const ended = yield* unmute(context, monitors.existing)
  yield* notifyWatchers({ orgId: context.caller.orgId, kind: 'monitor', id: null })
  const unmuted = monitors.existing.filter(({ id }) => ended.has(id))
  yield* auditEach(context, 'unmuteMonitor', unmuted)
  return bulkResult(monitors, ({ id }) => ended.has(id))
}

function* labelAll(
  context: OperationContext,
  monitors: BulkMonitors,
  changes: Readonly<Record<string, string | null>>,
  listeners: readonly LabelListener[],
) {
  const { caller, now } = context
  const { orgId } = caller
  const nums = monitors.existing.map(({ num }) => num)
  const before = yield* labelsOf(orgId, nums)
  const after = new Map(nums.map((num) => [num, withChanges(before(num), changes)]))
  const changed = nums.flatMap((num): LabelChange[] => {
    const labels = after.get(num) as Labels
    const isChange = Object.keys(changes).some((key) => before(num)[key] !== labels[key])
    return isChange && Object.keys(labels).length <= MAX_LABELS ? [{ num, before: before(num), after: labels }] : []
  })
  yield* changeLabels(orgId, changed, listeners, now)
  const isChanged = new Set(changed.map(({ num }) => num))
  yield* notifyWatchers({ orgId, kind: 'monitor', id: null })
  const labelled = monitors.existing.filter(({ num }) => isChanged.has(num))
  yield* auditEach(context, 'setMonitorLabels', labelled, ['labels'])
  return bulkResult(monitors, ({ num }) => {
    const count = Object.keys(after.get(num) as Labels).length
    if (count > MAX_LABELS) return tooManyLabels(count)
    return isChanged.has(num)
  })
}

function tooManyLabels(count: number): ApiError {
  return new ApiError('validation_error', `It would have ${count} labels; a monitor has at most ${MAX_LABELS}`)
}

function withChanges(labels: Labels, changes: Readonly<Record<string, string | null>>): Labels {
  const after: Record<string, string> = { ...labels }
  for (const [key, value] of Object.entries(changes)) {
    if (value === null) delete after[key]
    else after[key] = value
  }
  return after
}
