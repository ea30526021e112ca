import { operation } from '../../contract/operation.ts'
import { Deleted } from '../../contract/schema.ts'
import { removeFromList } from '../../storage/list-index.ts'
import { execute, q } from '../../storage/query.ts'
import { publishedForUpdate } from './queries.ts'
import { ofPublished } from './schema.ts'

export const deletePublishedIncident = operation({
  ...ofPublished,
  id: 'deletePublishedIncident',
  method: 'DELETE',
  summary: 'Delete a published incident',
  description: 'Permanently deletes the incident with its updates. Subscribers are not notified.',
  answer: { status: 200, schema: Deleted, description: 'The id of the deleted resource' },
  *handle({ caller: { orgId } }, { params }) {
    const { id } = yield* publishedForUpdate(orgId, params.statusIncidentId)
    // Foreign keys cascade to its updates and its links with pages and monitors.
    yield* execute(q.deleteFrom('published_incidents').where('org_id', '=', orgId).where('id', '=', id))
    yield* removeFromList(orgId, 'publishedincident')
    return { data: { id } }
  },
})
