import Type from 'typebox'
import { actorOf, actorTypeOf } from '../../contract/actor.ts'
import { ApiError, invalid, notFound } from '../../contract/errors.ts'
import { LARGE_BODY_BYTES, operation } from '../../contract/operation.ts'
import { body, Deleted, nullable, oneOf, resource, Timestamp } from '../../contract/schema.ts'
import { newId } from '../../lib/ids.ts'
import { isoTimestamp, isoTimestampOrNull } from '../../lib/timestamp.ts'
import type { Caller } from '../../storage/database.ts'
import { all, type DbWork, first, notifyWatchers, q, run, statement } from '../../storage/query.ts'
import type { IncidentNoteTable } from '../../storage/schema/monitors.ts'
import { incidentOf, incidentToChange } from './queries.ts'
import { IncidentParams } from './schema.ts'

const MAX_NOTES = 200
const MAX_NOTE_LENGTH = 10_000

const Note = resource('IncidentNote', {
  id: Type.String({ minLength: 1 }),
  author: Type.Object({
    type: oneOf(['USER', 'API_KEY'] as const),
    id: Type.String(),
    name: Type.String({ description: 'As it was when the note was written' }),
  }),
  body: Type.String({ description: 'Markdown' }),
  createdAt: Timestamp,
  editedAt: nullable(Timestamp),
})

const NoteBody = body('IncidentNoteText', {
  body: Type.String({ minLength: 1, maxLength: MAX_NOTE_LENGTH, description: 'Markdown' }),
})

const NoteParams = Type.Object({ ...IncidentParams.properties, noteId: Type.String({ minLength: 1 }) })

interface IncidentKey {
  orgId: string
  incidentId: string
}

interface NoteKey extends IncidentKey {
  id: string
}

const notesOf = statement(({ orgId, incidentId }: IncidentKey) =>
  q
    .selectFrom('incident_notes')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('incident_id', '=', incidentId)
    .orderBy('id')
    .limit(MAX_NOTES),
)

const countOf = statement(({ orgId, incidentId }: IncidentKey) =>
  q
    .selectFrom('incident_notes')
    .select((is) => is.fn.countAll<number>().as('n'))
    .where('org_id', '=', orgId)
    .where('incident_id', '=', incidentId),
)

const byId = statement(({ orgId, incidentId, id }: NoteKey) =>
  q
    .selectFrom('incident_notes')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('incident_id', '=', incidentId)
    .where('id', '=', id)
    .forUpdate(),
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

const edit = statement(({ orgId, incidentId, id, body, now }: NoteKey & { body: string; now: number }) =>
  q
    .updateTable('incident_notes')
    .set({ body, edited_at: now })
    .where('org_id', '=', orgId)
    .where('incident_id', '=', incidentId)
    .where('id', '=', id),
)

const remove = statement(({ orgId, incidentId, id }: NoteKey) =>
  q.deleteFrom('incident_notes').where('org_id', '=', orgId).where('incident_id', '=', incidentId).where('id', '=', id),
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
    const row = yield* ownNote({ orgId, incidentId, id }, caller)
    if (row.body === body) return renderNote(row)
    yield* run(edit, { orgId, incidentId, id, body, now })
    yield* notifyWatchers({ orgId, kind: 'incident', id: incidentId })
    return renderNote({ ...row, body, edited_at: now })
  },
})

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

function requireText(body: string): void {
  if (body.trim() === '') throw invalid([{ path: 'body', message: 'must not be empty' }])
}

function* ownNote(key: NoteKey, caller: Caller): DbWork<IncidentNoteTable> {
  const row = yield* first(byId, key)
  if (row === undefined) throw notFound('note')
  if (row.author_id !== actorOf(caller).id) throw new ApiError('forbidden', 'Only its author can change a note')
  return row
}

function renderNote(row: IncidentNoteTable) {
  return {
    id: row.id,
    author: { type: actorTypeOf(row.author_id), id: row.author_id, name: row.author_name },
    body: row.body,
    createdAt: isoTimestamp(row.created_at),
    editedAt: isoTimestampOrNull(row.edited_at),
  }
}
