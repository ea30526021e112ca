import { operation } from '../../contract/operation.ts'
import { Deleted } from '../../contract/schema.ts'
import { execute, notifyWatchers, q } from '../../storage/query.ts'
import { NoteParams, ownNote } from './note.ts'

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
    yield* ownNote(incidentId, id, caller)
    const notes = q.deleteFrom('incident_notes').where('org_id', '=', orgId)
    yield* execute(notes.where('incident_id', '=', incidentId).where('id', '=', id))
    yield* notifyWatchers({ orgId, kind: 'incident', id: incidentId })
    return { data: { id } }
  },
})
