import { operation } from '../../contract/operation.ts'
import { publishedIncidentOf } from './queries.ts'
import { ofPublished, PublishedIncident } from './schema.ts'

export const getPublishedIncident = operation({
  ...ofPublished,
  id: 'getPublishedIncident',
  method: 'GET',
  access: 'read',
  summary: 'Get a published incident',
  description: 'With all its updates, newest first.',
  answer: { status: 200, schema: PublishedIncident, description: 'The published incident' },
  *handle({ caller }, { params }) {
    return yield* publishedIncidentOf(caller.orgId, params.statusIncidentId)
  },
})
