import { operation } from '../../contract/operation.ts'
import { newId } from '../../lib/ids.ts'
import { parseSelector, selectorText } from '../../lib/selector.ts'
import { addToList } from '../../storage/list-index.ts'
import { lockLabels } from '../labels/save.ts'
import { openCoverage } from '../maintenance-coverage/coverage.ts'
import { monitorsNamed } from '../monitors/queries.ts'
import { progressAt } from './advance.ts'
import { announceChange } from './apply-transitions.ts'
import { resolveReferences } from './references.ts'
import { renderWindow } from './render.ts'
import { insertWindow, saveLinks, windowOf } from './rows.ts'
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
  refine: newWindowFaults,
  notifies: true,
  answer: { status: 201, schema: MaintenanceWindow, description: 'The new maintenance window' },
  *handle({ caller: { orgId }, now }, { body: { selector: given = null, ...fields } }) {
    const settings = settingsFrom(fields)
    const selector = given === null ? null : selectorText(parseSelector(given))
    if (selector !== null) {
      // Monitors before labels before pages, as everywhere.
      yield* monitorsNamed(orgId, settings.monitorIds)
      yield* lockLabels(orgId)
    }
    const faults = timingFaults(settings)
    const { nums, coveredNums } = yield* resolveReferences(orgId, settings, [], faults, selector)
    const { seq } = yield* addToList(orgId, 'maintenance')
    const id = newId('mw', now)
    const progress = progressAt(settings, now)
    const coverageId = yield* openCoverage(orgId, settings, { nums: coveredNums }, now)
    yield* insertWindow({ orgId, id, seq, selector }, settings, { ...progress, coverageId, now })
    yield* saveLinks({ orgId, id }, nums, settings.statusPageIds)
    const row = yield* windowOf(orgId, id)
    yield* announceChange(orgId, 'maintenance.scheduled', row, { at: now, now })
    if (progress.status === 'IN_PROGRESS') yield* announceChange(orgId, 'maintenance.started', row, { at: now, now })
    return renderWindow(row, now)
  },
})
