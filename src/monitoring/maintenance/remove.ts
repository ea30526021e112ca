import { operation } from '../../contract/operation.ts'
import { Deleted } from '../../contract/schema.ts'
import { removeFromList } from '../../storage/list-index.ts'
import { execute, q } from '../../storage/query.ts'
import { closeCoverage } from '../maintenance-coverage/coverage.ts'
import { announceChange, applyTransitions, coveredNumsOf } from './apply-transitions.ts'
import { queueRecheck } from './recheck.ts'
import { lockWindow } from './rows.ts'
import { MaintenanceParams } from './schema.ts'

export const deleteMaintenanceWindow = operation({
  id: 'deleteMaintenanceWindow',
  method: 'DELETE',
  path: '/maintenance-windows/:maintenanceId',
  access: 'write',
  tag: 'Maintenance windows',
  summary: 'Delete a maintenance window',
  description:
    'A window in progress ends, and its monitors are checked immediately. Time that was covered until now ' +
    'still does not count for uptime.',
  params: MaintenanceParams,
  notifies: true,
  answer: { status: 200, schema: Deleted, description: 'The id of the deleted resource' },
  errors: ['not_found'],
  *handle({ caller: { orgId }, now }, { params }) {
    const found = yield* lockWindow(orgId, params.maintenanceId)
    const row = yield* applyTransitions(found, now)
    const { id, status } = row
    if (status === 'IN_PROGRESS') yield* queueRecheck(orgId, yield* coveredNumsOf(row), now)
    yield* closeCoverage(orgId, row.coverage_id, now)
    // Foreign keys delete its links.
    yield* execute(q.deleteFrom('maintenance_windows').where('org_id', '=', orgId).where('id', '=', id))
    yield* removeFromList(orgId, 'maintenance')
    if (status !== 'COMPLETED') yield* announceChange('maintenance.cancelled', row, { at: now, now })
    return { data: { id } }
  },
})
