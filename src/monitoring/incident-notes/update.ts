import { LARGE_BODY_BYTES, operation } from '../../contract/operation.ts'
import { execute, notifyWatchers, q } from '../../storage/query.ts'
import { Note, NoteBody, NoteParams, ownNote, renderNote, requireText } from './note.ts'

export const updateIncidentNote = operation({
  id: 'updateIncidentNote',
  extension: true,
  method: 'PATCH',
  path: '/incidents/:incidentId/notes/:noteId',
  access: 'write',
  tag: 'Incidents',
  summary: 'Edit a note',
  description: 'Only by its author: the user or the API key that wrote it.',
  params: NoteParams,
  body: NoteBody,
  bodyLimitBytes: LARGE_BODY_BYTES,
  answer: { status: 200, schema: Note, description: 'The note' },
  errors: ['not_found', 'forbidden'],
  *handle({ caller, now }, { params: { incidentId, noteId: id }, body: { body } }) {
    requireText(body)
    const { orgId } = caller
    const row = yield* ownNote(incidentId, id, caller)
    if (row.body === body) return renderNote(row)
    yield* execute(
      q
        .updateTable('incident_notes')
        .set({ body, edited_at: now })
        .where('org_id', '=', orgId)
        .where('incident_id', '=', incidentId)
        .where('id', '=', id),
    )
    yield* notifyWatchers({ orgId, kind: 'incident', id: incidentId })
    return renderNote({ ...row, body, edited_at: now })
  },
})
