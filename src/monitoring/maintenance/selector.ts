import Type from 'typebox'
import { operation } from '../../contract/operation.ts'
import { body, nullable, resource } from '../../contract/schema.ts'
import { SelectorText } from '../../contract/selector.ts'
import { parseStored } from '../../lib/json.ts'
import { matchesSelector, parseSelector } from '../../lib/selector.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import type { LabelChange } from '../labels/save.ts'
import { closeCoverage, openCoverage } from '../maintenance-coverage/coverage.ts'
import { applyTransitions } from './apply-transitions.ts'
import { linkedMonitors, linkMonitors } from './links.ts'
import { queueRecheck } from './recheck.ts'
import { lockWindow, updateWindow, windowOf } from './rows.ts'
import { selectorFaults } from './rules.ts'
import { MaintenanceParams } from './schema.ts'
import { type MaintenanceRow, timingOf } from './settings.ts'
import { changeWindow } from './update.ts'

const WindowSelector = resource('MaintenanceWindowSelector', {
  selector: nullable(Type.String(), { description: 'In its canonical form; null if there is none' }),
})

export const getMaintenanceSelector = operation({
  id: 'getMaintenanceWindowSelector',
  method: 'GET',
  path: '/maintenance-windows/:maintenanceId/selector',
  access: 'read',
  extension: true,
  tag: 'Labels',
  summary: "Get a maintenance window's selector",
  description: 'Which monitors the window covers by their labels.',
  params: MaintenanceParams,
  answer: { status: 200, schema: WindowSelector, description: 'The selector' },
  errors: ['not_found'],
  *handle({ caller: { orgId } }, { params }) {
    return { selector: (yield* windowOf(orgId, params.maintenanceId)).selector }
  },
})

export const setMaintenanceSelector = operation({
  id: 'setMaintenanceWindowSelector',
  method: 'PUT',
  path: '/maintenance-windows/:maintenanceId/selector',
  access: 'write',
  extension: true,
  tag: 'Labels',
  bulk: true,
  summary: "Set a maintenance window's selector",
  description:
    'The window also covers the monitors that match, and follows their labels: a monitor that gets the label later is covered ' +
    'from then on. `monitorIds` of the window does not list them; it may be empty once there is a selector. Null removes the ' +
    'selector, unless the window covers nothing else. `PATCH` of the window sets it, too.',
  params: MaintenanceParams,
  body: body('SetMaintenanceWindowSelector', { selector: nullable(SelectorText) }),
  refine: selectorFaults,
  answer: { status: 200, schema: WindowSelector, description: 'The selector in its canonical form' },
  errors: ['not_found'],
  *handle({ caller: { orgId }, now }, { params, body: { selector } }) {
    return { selector: (yield* changeWindow(orgId, params.maintenanceId, { selector }, now)).selector }
  },
})

/** Without a lock: the window is locked already, and monitors are locked before windows. */
function* numsOf(orgId: string, ids: readonly string[]): DbWork<readonly number[]> {
  if (ids.length === 0) return []
  const rows = yield* execute(q.selectFrom('monitors').select('num').where('org_id', '=', orgId).where('id', 'in', ids))
  return rows.map(({ num }) => num)
}

/** Windows that are not over follow the labels of monitors. */
export function* followLabelsInWindows(orgId: string, changes: readonly LabelChange[], now: number): DbWork<void> {
  const windows = yield* execute(
    q
      .selectFrom('maintenance_windows')
      .select(['id', 'selector'])
      .where('org_id', '=', orgId)
      .where('selector', 'is not', null)
      .where('next_transition_at', 'is not', null)
      .orderBy('id'),
  )
  for (const { id, selector: text } of windows) {
    const selector = parseSelector(text as string)
    const moved = changes.filter(
      ({ before, after }) => matchesSelector(selector, before) !== matchesSelector(selector, after),
    )
    if (moved.length === 0) continue
    const row = yield* applyTransitions(yield* lockWindow(orgId, id), now)
    const listed = new Set(yield* numsOf(orgId, parseStored(row.monitor_ids)))
    const covered = new Set(yield* linkedMonitors({ orgId, id }))
    for (const { num, after } of moved) {
      if (matchesSelector(selector, after)) covered.add(num)
      else if (!listed.has(num)) covered.delete(num)
    }
    yield* coverMonitors(row, covered, now)
  }
}

/**
 * Lets a window that is locked cover these monitors from now on. What it covered until now stays covered. Monitors that
 * leave it while it is in progress are checked.
 */
function* coverMonitors(row: MaintenanceRow, after: ReadonlySet<number>, now: number): DbWork<void> {
  const { org_id: orgId, id } = row
  const { left, entered } = yield* linkMonitors({ orgId, id }, after)
  if (left.length + entered.length === 0) return
  // All monitors are covered anyway.
  if (row.all_monitors === 1) return
  yield* closeCoverage(orgId, row.coverage_id, now)
  const coverageId = yield* openCoverage(orgId, timingOf(row), JSON.stringify([...after]), now)
  yield* updateWindow(orgId, id, { coverage_id: coverageId })
  if (row.status === 'IN_PROGRESS') yield* queueRecheck(orgId, JSON.stringify(left), now)
}
