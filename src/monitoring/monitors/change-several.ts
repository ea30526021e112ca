import Type from 'typebox'
import { ApiError } from '../../contract/errors.ts'
import { type OperationContext, operation } from '../../contract/operation.ts'
import { body, oneOf } from '../../contract/schema.ts'
import { type Labels, MAX_LABELS } from '../../lib/selector.ts'
import { labelsOf } from '../../storage/labels/read.ts'
import { type DbWork, execute, notifyWatchers, q } from '../../storage/query.ts'
import { changeLabels, type LabelChange, type LabelListener } from '../labels/save.ts'
import { LabelChanges, labelFaults } from '../labels/schema.ts'
import { makeDue } from '../monitor-states/make-due.ts'
import {
  auditOne,
  type BulkMonitor,
  type BulkMonitors,
  BulkResult,
  bulkMonitors,
  bulkTargets,
  changeEach,
  MAX_BULK_MONITORS,
  targetFaults,
} from './bulk.ts'
import { pause } from './pause.ts'
import { type OnMonitorDeleted, remove } from './remove.ts'
import { resume } from './resume.ts'

const bulkActions = ['PAUSE', 'RESUME', 'CHECK', 'DELETE', 'LABEL'] as const

const Body = body('ChangeMonitors', {
  ...bulkTargets,
  action: oneOf(bulkActions, {
    description:
      'CHECK makes the monitors due now and does not wait for the checks. LABEL sets and removes the labels in `labels`.',
  }),
  labels: Type.Optional(LabelChanges),
})

/** The listeners are those of the operations on one monitor. */
export const changeMonitors = (onDeleted: readonly OnMonitorDeleted[], onLabels: readonly LabelListener[]) =>
  operation({
    id: 'changeMonitors',
    method: 'POST',
    path: '/monitors/bulk',
    access: 'write',
    extension: true,
    tag: 'Labels',
    // Every monitor has an audit entry of its own.
    skipsAudit: true,
    summary: 'Pause, resume, check, delete or label several monitors',
    description:
      `By id or by selector, at most ${MAX_BULK_MONITORS} monitors. In one transaction, with the events and audit entries of ` +
      'the operations on one monitor. Monitors that cannot be changed are reported; the others are changed.',
    body: Body,
    refine: (given) => [...targetFaults(given), ...actionFaults(given), ...labelFaults(given)],
    answer: { status: 200, schema: BulkResult, description: 'What happened to each monitor' },
    *handle(context, { body: given }) {
      const { caller, installation, now } = context
      const { orgId } = caller
      const monitors = yield* bulkMonitors(orgId, given)
      switch (given.action) {
        case 'PAUSE':
          return yield* changeEach(monitors, function* ({ id }) {
            yield* auditOne(context, { action: 'pauseMonitor', target: id })
            return yield* pause(orgId, id, installation.baseUrl, now)
          })
        case 'RESUME':
          return yield* changeEach(monitors, function* ({ id }) {
            yield* auditOne(context, { action: 'resumeMonitor', target: id })
            return yield* resume(orgId, id, installation.baseUrl, now)
          })
        case 'DELETE':
          return yield* changeEach(monitors, function* ({ id }) {
            yield* auditOne(context, { action: 'deleteMonitor', target: id })
            yield* remove(orgId, id, onDeleted, installation.baseUrl, now)
            return true
          })
        case 'CHECK':
          return yield* checkAll(context, monitors)
        case 'LABEL':
          return yield* labelAll(context, monitors, given.labels ?? {}, onLabels)
      }
    },
  })

function actionFaults({ action, labels }: Readonly<Record<string, unknown>>) {
  if (action === 'LABEL' && labels === undefined) return [{ path: 'labels', message: 'is required with action LABEL' }]
  if (action !== 'LABEL' && labels !== undefined) {
    return [{ path: 'labels', message: 'is allowed only with action LABEL' }]
  }
  return []
}

function* checkAll(context: OperationContext, monitors: BulkMonitors) {
  const { orgId } = context.caller
  const nums = [...monitors.existing.values()].map(({ num }) => num)
  const due = new Set(yield* makeDue(orgId, nums, context.now))
  const waiting = nums.filter((num) => !due.has(num))
  const paused = new Set(
    waiting.length === 0
      ? []
      : (yield* execute(
          q
            .selectFrom('monitor_states')
            .select('num')
            .where('org_id', '=', orgId)
            .where('num', 'in', waiting)
            .where('state', '=', 'PAUSED'),
        )).map(({ num }) => num),
  )
  return yield* changeEach(monitors, function* ({ id, num }) {
    if (paused.has(num)) throw new ApiError('conflict', 'The monitor is paused; resume it first')
    yield* auditOne(context, { action: 'checkMonitor', target: id })
    return due.has(num)
  })
}

function* labelAll(
  context: OperationContext,
  monitors: BulkMonitors,
  changes: Readonly<Record<string, string | null>>,
  listeners: readonly LabelListener[],
) {
  const { caller, now } = context
  const { orgId } = caller
  const list = [...monitors.existing.values()]
  yield* lockMonitors(orgId, list)
  const nums = list.map(({ num }) => num)
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
  return yield* changeEach(monitors, function* ({ id, num }) {
    const count = Object.keys(after.get(num) as Labels).length
    if (count > MAX_LABELS) {
      throw new ApiError('validation_error', `It would have ${count} labels; a monitor has at most ${MAX_LABELS}`)
    }
    if (isChanged.has(num)) yield* auditOne(context, { action: 'setMonitorLabels', target: id, fields: ['labels'] })
    return isChanged.has(num)
  })
}

function withChanges(labels: Labels, changes: Readonly<Record<string, string | null>>): Labels {
  const after: Record<string, string> = { ...labels }
  for (const [key, value] of Object.entries(changes)) {
    if (value === null) delete after[key]
    else after[key] = value
  }
  return after
}

/** In the same order as other operations, so that two transactions cannot deadlock. */
function* lockMonitors(orgId: string, monitors: readonly BulkMonitor[]): DbWork<void> {
  if (monitors.length === 0) return
  yield* execute(
    q
      .selectFrom('monitors')
      .select('num')
      .where('org_id', '=', orgId)
      .where(
        'id',
        'in',
        monitors.map(({ id }) => id),
      )
      .orderBy('id')
      .forNoKeyUpdate(),
  )
}
