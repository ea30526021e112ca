import { planLimitReached, planNamed } from '../../accounts/plans/plans.ts'
import { LARGE_BODY_BYTES, operation } from '../../contract/operation.ts'
import { newId } from '../../lib/ids.ts'
import { parseSelector, selectorText } from '../../lib/selector.ts'
import { addToList } from '../../storage/list-index.ts'
import { execute, q } from '../../storage/query.ts'
import { lockLabels } from '../labels/save.ts'
import { openCoverage } from '../maintenance-coverage/coverage.ts'
import { progressAt } from './advance.ts'
import { announceChange } from './apply-transitions.ts'
import { linkMonitors, linkPages } from './links.ts'
import { resolveReferences, withSelected } from './references.ts'
import { renderWindow } from './render.ts'
import { columnsOf, windowOf } from './rows.ts'
import { newWindowFaults, timingFaults } from './rules.ts'
import { CreateMaintenanceWindow, MaintenanceWindow } from './schema.ts'
import { settingsFrom } from './settings.ts'

export const createMaintenanceWindow = operation({
  id: 'createMaintenanceWindow',
  method: 'POST',
  path: '/maintenance-windows',
  access: 'write',
  tag: 'Maintenance windows',
  summary: 'Create a maintenance window',
  description:
    'During a window, checks run and states change, but no incident opens, no alert is sent and the time does ' +
    'not count for uptime. Incidents that were open before can still be resolved. When a window ends, its ' +
    'monitors are checked immediately. A window that began in the past applies from now on; one that has ' +
    'ended is COMPLETED.',
  body: CreateMaintenanceWindow,
  bodyLimitBytes: LARGE_BODY_BYTES,
  refine: newWindowFaults,
  notifies: true,
  answer: { status: 201, schema: MaintenanceWindow, description: 'The new maintenance window' },
  errors: ['plan_limit'],
  *handle({ caller: { orgId, plan: planName }, now }, { body: { selector: given = null, ...fields } }) {
    const settings = settingsFrom(fields)
    const selector = given === null ? null : parseSelector(given)
    // Labels are locked before monitors and pages.
    if (selector !== null) yield* lockLabels(orgId)
    const listed = yield* resolveReferences(orgId, settings, [], timingFaults(settings))
    const nums = yield* withSelected(orgId, listed, selector)
    const plan = planNamed(planName)
    const { seq, live } = yield* addToList(orgId, 'maintenance')
    if (live > plan.maintenanceWindows) throw planLimitReached(plan, plan.maintenanceWindows, 'maintenance window')
    const id = newId('mw', now)
    const progress = progressAt(settings, now)
    const covered = settings.allMonitors ? null : JSON.stringify([...nums])
    const coverageId = yield* openCoverage(orgId, settings, covered, now)
    const text = selector === null ? null : selectorText(selector)
    const columns = columnsOf(settings, progress, coverageId, now)
    const window = { ...columns, org_id: orgId, id, seq, selector: text, created_at: now }
    yield* execute(q.insertInto('maintenance_windows').values(window))
    yield* linkMonitors({ orgId, id }, nums)
    yield* linkPages({ orgId, id }, settings.statusPageIds)
    const row = yield* windowOf(orgId, id)
    yield* announceChange('maintenance.scheduled', row, { at: now, now })
    if (progress.status === 'IN_PROGRESS') yield* announceChange('maintenance.started', row, { at: now, now })
    return renderWindow(row, now)
  },
})
