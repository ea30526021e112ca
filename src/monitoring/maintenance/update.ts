import { LARGE_BODY_BYTES, operation } from '../../contract/operation.ts'
import { parseStored } from '../../lib/json.ts'
import { parseSelector, selectorText } from '../../lib/selector.ts'
import type { DbWork } from '../../storage/query.ts'
import { lockLabels } from '../labels/save.ts'
import { closeCoverage, openCoverage } from '../maintenance-coverage/coverage.ts'
import { monitorsNamed } from '../monitors/queries.ts'
import { progressAt } from './advance.ts'
import { announceChange, applyTransitions, coveredNumsOf } from './apply-transitions.ts'
import { linkedMonitors, linkMonitors, linkPages } from './links.ts'
import { queueRecheck } from './recheck.ts'
import { resolveReferences, withSelected } from './references.ts'
import { renderWindow } from './render.ts'
import { columnsOf, lockWindow, updateWindow, windowOf } from './rows.ts'
import { fieldFaults, patchFaults } from './rules.ts'
import { MaintenanceParams, type MaintenancePatch, MaintenanceWindow, UpdateMaintenanceWindow } from './schema.ts'
import {
  applyPatch,
  changedFields,
  type MaintenanceRow,
  settingsOf,
  timingOf,
  type WindowSettings,
} from './settings.ts'

export const updateMaintenanceWindow = operation({
  id: 'updateMaintenanceWindow',
  method: 'PATCH',
  path: '/maintenance-windows/:maintenanceId',
  access: 'write',
  tag: 'Maintenance windows',
  summary: 'Update a maintenance window',
  description:
    'Omitted fields keep their values. The result is validated as a whole; if it is inconsistent, nothing ' +
    'changes. Time that was covered until now still does not count for uptime. An `endsAt` in the past ends a ' +
    'window that is in progress.',
  params: MaintenanceParams,
  body: UpdateMaintenanceWindow,
  bodyLimitBytes: LARGE_BODY_BYTES,
  refine: fieldFaults,
  notifies: true,
  answer: { status: 200, schema: MaintenanceWindow, description: 'The updated maintenance window' },
  errors: ['not_found'],
  *handle({ caller: { orgId }, now }, { params, body }) {
    return renderWindow(yield* changeWindow(orgId, params.maintenanceId, body, now), now)
  },
})

/** Returns the row after the change. The schema and `fieldFaults` have accepted the patch. */
export function* changeWindow(
  orgId: string,
  id: string,
  { selector: given, ...patch }: MaintenancePatch,
  now: number,
): DbWork<MaintenanceRow> {
  // Labels are locked before monitors.
  if (given !== undefined) yield* lockLabels(orgId)
  yield* lockMonitors(orgId, id, patch.monitorIds)
  const row = yield* lockWindow(orgId, id)
  const before = settingsOf(row)
  const after = applyPatch(before, patch)
  const selector = given === undefined ? row.selector : given && selectorText(parseSelector(given))
  const changed = changedFields(before, after)
  if (selector !== row.selector) changed.add('selector')
  if (changed.size > 0) {
    const faults = patchFaults({ ...after, selector }, changed)
    const listed = yield* resolveReferences(orgId, after, before.statusPageIds, faults)
    const isLinkedAnew = changed.has('monitorIds') || changed.has('selector')
    // The selector is evaluated only here: its monitors are linked to the window, and follow their labels.
    const parsed = selector === null ? null : parseSelector(selector)
    const nums = isLinkedAnew ? yield* withSelected(orgId, listed, parsed) : undefined
    yield* apply(yield* applyTransitions(row, now), { after, changed, nums }, now)
    if (changed.has('selector')) yield* updateWindow(orgId, id, { selector, updated_at: now })
  }
  return yield* windowOf(orgId, id)
}

/** Deleting a monitor locks it before its windows. The same order here avoids deadlocks on PostgreSQL. */
function* lockMonitors(orgId: string, id: string, monitorIds: readonly string[] | undefined): DbWork<void> {
  yield* monitorsNamed(orgId, monitorIds ?? settingsOf(yield* windowOf(orgId, id)).monitorIds)
}

interface Change {
  readonly after: WindowSettings
  readonly changed: ReadonlySet<string>
  /** The monitors that the window is linked to from now on. Undefined if they stay the same. */
  readonly nums: ReadonlySet<number> | undefined
}

function* apply(row: MaintenanceRow, { after, changed, nums }: Change, now: number): DbWork<void> {
  const { org_id: orgId, id, status: statusBefore } = row
  const isRescheduled = Object.keys(timingOf(row)).some((field) => changed.has(field))
  const coverageChanged = nums !== undefined || changed.has('allMonitors')
  const progress = isRescheduled
    ? progressAt(after, now)
    : { status: statusBefore, nextTransitionAt: row.next_transition_at }
  let coverageId = row.coverage_id
  if (isRescheduled || coverageChanged) {
    const coveredBefore = yield* coveredNumsOf(row)
    yield* closeCoverage(orgId, coverageId, now)
    const coveredNums = after.allMonitors ? null : JSON.stringify([...(nums ?? (yield* linkedMonitors({ orgId, id })))])
    coverageId = yield* openCoverage(orgId, after, coveredNums, now)
    const uncovered = progress.status === 'IN_PROGRESS' ? without(coveredBefore, coveredNums) : coveredBefore
    if (statusBefore === 'IN_PROGRESS') yield* queueRecheck(orgId, uncovered, now)
  }
  yield* updateWindow(orgId, id, columnsOf(after, progress, coverageId, now))
  if (nums !== undefined) yield* linkMonitors({ orgId, id }, nums)
  if (changed.has('statusPageIds')) yield* linkPages({ orgId, id }, after.statusPageIds)
  if (!isRescheduled) return
  const saved = yield* windowOf(orgId, id)
  const times = { at: now, now }
  const isRunning = progress.status === 'IN_PROGRESS'
  const wasRunning = statusBefore === 'IN_PROGRESS'
  if (wasRunning && !isRunning) yield* announceChange('maintenance.completed', saved, times)
  if (progress.status !== 'COMPLETED') yield* announceChange('maintenance.scheduled', saved, times)
  if (isRunning && !wasRunning) yield* announceChange('maintenance.started', saved, times)
}

/** The monitors that are no longer covered. If all were covered before, returns all. */
function without(before: string | null, after: string | null): string | null {
  if (after === null) return '[]'
  if (before === null) return null
  const still = new Set<number>(parseStored(after))
  return JSON.stringify((parseStored(before) as number[]).filter((num) => !still.has(num)))
}
