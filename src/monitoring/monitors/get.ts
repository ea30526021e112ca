import { operation } from '../../contract/operation.ts'
import { monitorJsonFor } from './queries.ts'
import { Monitor, MonitorParams } from './schema.ts'

export const getMonitor = operation({
  id: 'getMonitor',
  method: 'GET',
  path: '/monitors/:monitorId',
  access: 'read',
  tag: 'Monitors',
  summary: 'Get a monitor',
  description: 'With its settings, its state and the result of its last check.',
  params: MonitorParams,
  answer: { status: 200, schema: Monitor, description: 'The monitor' },
  errors: ['not_found'],
  *handle({ caller, installation }, { params }) {
    return yield* monitorJsonFor(caller, params.monitorId, installation)
  },
})
