import { operation } from '../../contract/operation.ts'
import { renderWindow } from './render.ts'
import { windowOf } from './rows.ts'
import { MaintenanceParams, MaintenanceWindow } from './schema.ts'

export const getMaintenanceWindow = operation({
  id: 'getMaintenanceWindow',
  method: 'GET',
  path: '/maintenance-windows/:maintenanceId',
  access: 'read',
  tag: 'Maintenance windows',
  summary: 'Get a maintenance window',
  description: 'With its current and its next occurrence.',
  params: MaintenanceParams,
  answer: { status: 200, schema: MaintenanceWindow, description: 'The maintenance window' },
  errors: ['not_found'],
  *handle({ caller: { orgId }, now }, { params }) {
    return renderWindow(yield* windowOf(orgId, params.maintenanceId), now)
  },
})
