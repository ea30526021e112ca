import { actorOf } from '../../contract/actor.ts'
import { ApiError } from '../../contract/errors.ts'
import { LARGE_BODY_BYTES, operation } from '../../contract/operation.ts'
import { newId } from '../../lib/ids.ts'
import { reason } from '../../reasons/reason.ts'
import { execute, notifyWatchers, q } from '../../storage/query.ts'
import type { IncidentNoteTable } from '../../storage/schema/monitors.ts'
import { incidentToChange } from '../incidents/queries.ts'
import { IncidentParams } from '../incidents/schema.ts'
import { MAX_NOTES, Note, NoteBody, renderNote, requireText } from './note.ts'

export const createIncidentNote = operation({
  id: 'createIncidentNote',
  extension: true,
  method: 'POST',
  path: '/incidents/:incidentId/notes',
  access: 'write',
  tag: 'Incidents',
  summary: 'Add a note to an incident',
  description: `At most ${MAX_NOTES} notes per incident. Notes are never published.`,
  params: IncidentParams,
  body: NoteBody,
  bodyLimitBytes: LARGE_BODY_BYTES,
  answer: { status: 201, schema: Note, description: 'The note' },
  errors: ['not_found', 'conflict'],
  *handle({ caller, now }, { params: { incidentId }, body: { body } }) {
    const { orgId } = caller
    const author = actorOf(caller)
    requireText(body)
    // Locks the incident, so that concurrent requests cannot exceed the limit.
    yield* incidentToChange(orgId, incidentId)
    const notes = q.selectFrom('incident_notes').select('id').where('org_id', '=', orgId)
    if ((yield* execute(notes.where('incident_id', '=', incidentId))).length >= MAX_NOTES) {
      throw new ApiError('conflict', reason('too_many_notes', { count: MAX_NOTES }))
    }
    const row: IncidentNoteTable = {
      org_id: orgId,
      incident_id: incidentId,
      id: newId('note', now),
      author_id: author.id,
      author_name: author.name,
      body,
      created_at: now,
      edited_at: null,
    }
    yield* execute(q.insertInto('incident_notes').values(row))
    yield* notifyWatchers({ orgId, kind: 'incident', id: incidentId })
    return renderNote(row)
  },
})
