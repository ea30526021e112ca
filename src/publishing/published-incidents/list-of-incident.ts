import Type from 'typebox'
import { operation } from '../../contract/operation.ts'
import { resource } from '../../contract/schema.ts'
import { incidentOf } from '../../monitoring/incidents/queries.ts'
import { IncidentParams } from '../../monitoring/incidents/schema.ts'
import { execute } from '../../storage/query.ts'
import { selectPublished, withPagesAndUpdates } from './queries.ts'
import { PublishedIncident } from './schema.ts'

const MAX_PUBLICATIONS = 20

export const listIncidentPublications = operation({
  id: 'listIncidentPublications',
  extension: true,
  method: 'GET',
  path: '/incidents/:incidentId/status-incidents',
  access: 'read',
  tag: 'Incidents',
  summary: 'List the published incidents that are linked to an incident',
  description: 'The published incidents that are linked to it.',
  params: IncidentParams,
  answer: {
    status: 200,
    schema: resource('IncidentPublications', { data: Type.Array(PublishedIncident) }),
    description: 'The published incidents with their updates, oldest first',
  },
  errors: ['not_found'],
  *handle({ caller: { orgId } }, { params: { incidentId } }) {
    yield* incidentOf(orgId, incidentId)
    const linked = selectPublished(orgId).where('i.incident_id', '=', incidentId).orderBy('i.id')
    const rows = yield* execute(linked.limit(MAX_PUBLICATIONS))
    return { data: yield* withPagesAndUpdates(orgId, rows) }
  },
})
