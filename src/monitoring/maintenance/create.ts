import { operation } from '../../contract/operation.ts'
import { newId } from '../../lib/ids.ts'
import { enroll } from '../../storage/roster.ts'
import { openCoverage } from '../maintenance-coverage/coverage.ts'
import { toldAt } from './advance.ts'
import { named } from './references.ts'
import { renderWindow } from './render.ts'
import { insertWindow, saveLinks, windowOf } from './rows.ts'
import { newWindowFaults, timingFaults } from './rules.ts'
import { CreateMaintenanceWindow, MaintenanceWindow } from './schema.ts'
import { settingsIn } from './settings.ts'
import { tellOf } from './tell.ts'

export const createMaintenanceWindow = operation({
  id: 'createMaintenanceWindow',
  method: 'POST',
  path: '/maintenance-windows',
  access: 'write',
  tag: 'Maintenance windows',
  summary: 'Create a maintenance window',
  description:
    'Inside a window checks run and states stay truthful, but no incident opens, nobody is alerted, and the time is left ' +
    'out of uptime. An incident that was open before still resolves. When a window ends, every monitor that it covered is ' +
    'checked at once. It may begin in the past, and counts from now on; one that is wholly in the past is COMPLETED.',
  body: CreateMaintenanceWindow,
  refine: newWindowFaults,
  answer: { status: 201, schema: MaintenanceWindow, description: 'The new maintenance window' },
  *handle({ caller: { orgId }, now }, { body }) {
    const settings = settingsIn(body)
    const { nums, covered } = yield* named(orgId, settings, [], timingFaults(settings))
    const { seq } = yield* enroll(orgId, 'maintenance')
    const id = newId('mw', now)
    const told = toldAt(settings, now)
    const coverageId = yield* openCoverage(orgId, settings, { nums: covered }, now)
    yield* insertWindow({ orgId, id, seq }, settings, { ...told, coverageId, now })
    yield* saveLinks({ orgId, id }, nums, settings.statusPageIds)
    const row = yield* windowOf(orgId, id)
    yield* tellOf(orgId, 'maintenance.scheduled', row, { at: now, now })
    if (told.status === 'IN_PROGRESS') yield* tellOf(orgId, 'maintenance.started', row, { at: now, now })
    return renderWindow(row, now)
  },
})
