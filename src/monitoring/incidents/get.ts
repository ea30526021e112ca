import { operation } from '../../contract/operation.ts'
import { incidentOf } from './queries.ts'
import { renderDetail } from './render.ts'
import { IncidentDetail, IncidentParams } from './schema.ts'

export const getIncident = operation({
  id: 'getIncident',
  method: 'GET',
  path: '/incidents/:incidentId',
  access: 'read',
  tag: 'Incidents',
  summary: 'Get an incident',
  description: 'With its first and last failure and its timeline.',
  params: IncidentParams,
  answer: { status: 200, schema: IncidentDetail, description: 'The incident' },
  errors: ['not_found'],
  *handle({ caller }, { params }) {
    return renderDetail(yield* incidentOf(caller.orgId, params.incidentId))
  },
})
