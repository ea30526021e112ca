import { operation } from '../../contract/operation.ts'
import { publishedIncidentOf } from './queries.ts'
import { PublishedIncident, PublishedIncidentParams } from './schema.ts'

export const getPublishedIncident = operation({
  id: 'getPublishedIncident',
  method: 'GET',
  path: '/status-incidents/:statusIncidentId',
  access: 'read',
  tag: 'Published incidents',
  summary: 'Get a published incident',
  description: 'With all its updates, newest first.',
  params: PublishedIncidentParams,
  answer: { status: 200, schema: PublishedIncident, description: 'The published incident' },
  errors: ['not_found'],
  *handle({ caller }, { params }) {
    return yield* publishedIncidentOf(caller.orgId, params.statusIncidentId)
  },
})
