import { actorOf } from '../../contract/actor.ts'
import { ApiError } from '../../contract/errors.ts'
import { LARGE_BODY_BYTES, operation } from '../../contract/operation.ts'
import { newId } from '../../lib/ids.ts'
import { first, notifyWatchers, q, run, statement } from '../../storage/query.ts'
import type { IncidentNoteTable } from '../../storage/schema/monitors.ts'
import { incidentToChange } from '../incidents/queries.ts'
import { IncidentParams } from '../incidents/schema.ts'
import { type IncidentKey, MAX_NOTES, Note, NoteBody, renderNote, requireText } from './note.ts'

const countOf = statement(({ orgId, incidentId }: IncidentKey) =>
  q
    .selectFrom('incident_notes')
    .select((is) => is.fn.countAll<number>().as('n'))
    .where('org_id', '=', orgId)
    .where('incident_id', '=', incidentId),
)

const insert = statement((row: IncidentNoteTable) =>
  q.insertInto('incident_notes').values({
    org_id: row.org_id,
    incident_id: row.incident_id,
    id: row.id,
    author_id: row.author_id,
    author_name: row.author_name,
    body: row.body,
    created_at: row.created_at,
    edited_at: row.edited_at,
  }),
)

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
    if (((yield* first(countOf, { orgId, incidentId }))?.n ?? 0) >= MAX_NOTES) {
      throw new ApiError('conflict', `An incident can have ${MAX_NOTES} notes. Delete one to add another.`)
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
    yield* run(insert, row)
    yield* notifyWatchers({ orgId, kind: 'incident', id: incidentId })
    return renderNote(row)
  },
})
