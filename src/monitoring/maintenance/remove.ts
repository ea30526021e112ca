import { operation } from '../../contract/operation.ts'
import { Deleted } from '../../contract/schema.ts'
import { strike } from '../../storage/roster.ts'
import { closeCoverage } from '../maintenance-coverage/coverage.ts'
import { recheckLater } from './recheck.ts'
import { dropWindow, windowToChange } from './rows.ts'
import { MaintenanceParams } from './schema.ts'
import { bringUpToDate, coveredBy, tellOf } from './tell.ts'

export const deleteMaintenanceWindow = operation({
  id: 'deleteMaintenanceWindow',
  method: 'DELETE',
  path: '/maintenance-windows/:maintenanceId',
  access: 'write',
  tag: 'Maintenance windows',
  summary: 'Delete a maintenance window',
  description:
    'One that is under way ends with this, and its monitors are checked at once. What was covered until now stays left out ' +
    'of uptime.',
  params: MaintenanceParams,
  answer: { status: 200, schema: Deleted, description: 'The id of what was deleted' },
  errors: ['not_found'],
  *handle({ caller: { orgId }, now }, { params }) {
    const found = yield* windowToChange(orgId, params.maintenanceId)
    const row = yield* bringUpToDate(orgId, found, now)
    const { id, seq, status } = row
    if (status === 'IN_PROGRESS') yield* recheckLater(orgId, yield* coveredBy(orgId, row), now)
    yield* closeCoverage(orgId, row.coverage_id, now)
    yield* dropWindow({ orgId, id })
    yield* strike(orgId, 'maintenance', seq)
    if (status !== 'COMPLETED') yield* tellOf(orgId, 'maintenance.cancelled', row, { at: now, now })
    return { data: { id } }
  },
})
