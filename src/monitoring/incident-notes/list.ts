import Type from 'typebox'
import { operation } from '../../contract/operation.ts'
import { resource } from '../../contract/schema.ts'
import { all, q, statement } from '../../storage/query.ts'
import { incidentOf } from '../incidents/queries.ts'
import { IncidentParams } from '../incidents/schema.ts'
import { type IncidentKey, MAX_NOTES, Note, renderNote } from './note.ts'

const notesOf = statement(({ orgId, incidentId }: IncidentKey) =>
  q
    .selectFrom('incident_notes')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('incident_id', '=', incidentId)
    .orderBy('id')
    .limit(MAX_NOTES),
)

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
    return { data: (yield* all(notesOf, { orgId, incidentId })).map(renderNote) }
  },
})
