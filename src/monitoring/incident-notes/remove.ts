import { operation } from '../../contract/operation.ts'
import { Deleted } from '../../contract/schema.ts'
import { notifyWatchers, q, run, statement } from '../../storage/query.ts'
import { type NoteKey, NoteParams, ownNote } from './note.ts'

const remove = statement(({ orgId, incidentId, id }: NoteKey) =>
  q.deleteFrom('incident_notes').where('org_id', '=', orgId).where('incident_id', '=', incidentId).where('id', '=', id),
)

export const deleteIncidentNote = operation({
  id: 'deleteIncidentNote',
  extension: true,
  method: 'DELETE',
  path: '/incidents/:incidentId/notes/:noteId',
  access: 'write',
  tag: 'Incidents',
  summary: 'Delete a note',
  description: 'Only by its author: the user or the API key that wrote it.',
  params: NoteParams,
  answer: { status: 200, schema: Deleted, description: 'The note was deleted' },
  errors: ['not_found', 'forbidden'],
  *handle({ caller }, { params: { incidentId, noteId: id } }) {
    const { orgId } = caller
    yield* ownNote({ orgId, incidentId, id }, caller)
    yield* run(remove, { orgId, incidentId, id })
    yield* notifyWatchers({ orgId, kind: 'incident', id: incidentId })
    return { data: { id } }
  },
})
