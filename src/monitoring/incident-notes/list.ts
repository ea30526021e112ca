import Type from 'typebox'
import { operation } from '../../contract/operation.ts'
import { resource } from '../../contract/schema.ts'
import { execute } from '../../storage/query.ts'
import { incidentOf } from '../incidents/queries.ts'
import { IncidentParams } from '../incidents/schema.ts'
import { Note, notesOf, renderNote } from './note.ts'

export const listIncidentNotes = operation({
  id: 'listIncidentNotes',
  extension: true,
  method: 'GET',
  path: '/incidents/:incidentId/notes',
  access: 'read',
  tag: 'Incidents',
  summary: 'List the notes on an incident',
  description: 'Oldest first.',
  params: IncidentParams,
  answer: {
    status: 200,
    schema: resource('IncidentNotes', { data: Type.Array(Note) }),
    description: 'All notes, oldest first',
  },
  errors: ['not_found'],
  *handle({ caller: { orgId } }, { params: { incidentId } }) {
    yield* incidentOf(orgId, incidentId)
    const notes = yield* execute(notesOf(orgId, incidentId).orderBy('id'))
    return { data: notes.map(renderNote) }
  },
})
