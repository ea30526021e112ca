import Type from 'typebox'
import { actorOf, actorTypeOf } from '../../contract/actor.ts'
import { ApiError, faultFor, invalid, notFound } from '../../contract/errors.ts'
import { body, nullable, oneOf, resource, Timestamp } from '../../contract/schema.ts'
import { isoTimestamp, isoTimestampOrNull } from '../../lib/timestamp.ts'
import { reason } from '../../reasons/reason.ts'
import type { Caller } from '../../storage/database.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import type { IncidentNoteTable } from '../../storage/schema/monitors.ts'
import { IncidentParams } from '../incidents/schema.ts'

export const MAX_NOTES = 200
const MAX_NOTE_LENGTH = 10_000

export const Note = resource('IncidentNote', {
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

export const NoteBody = body('IncidentNoteText', {
  body: Type.String({ minLength: 1, maxLength: MAX_NOTE_LENGTH, description: 'Markdown' }),
})

export const NoteParams = Type.Object({ ...IncidentParams.properties, noteId: Type.String({ minLength: 1 }) })

export function requireText(body: string): void {
  if (body.trim() === '') throw invalid([faultFor('body', reason('empty'))])
}

/** A query that callers add to. */
export const notesOf = (orgId: string, incidentId: string) =>
  q.selectFrom('incident_notes').selectAll().where('org_id', '=', orgId).where('incident_id', '=', incidentId)

/** Locked until the end of the transaction. */
export function* ownNote(incidentId: string, id: string, caller: Caller): DbWork<IncidentNoteTable> {
  const [row] = yield* execute(notesOf(caller.orgId, incidentId).where('id', '=', id).forUpdate())
  if (row === undefined) throw notFound('note')
  if (row.author_id !== actorOf(caller).id) throw new ApiError('forbidden', reason('only_author'))
  return row
}

export function renderNote(row: IncidentNoteTable) {
  return {
    id: row.id,
    author: { type: actorTypeOf(row.author_id), id: row.author_id, name: row.author_name },
    body: row.body,
    createdAt: isoTimestamp(row.created_at),
    editedAt: isoTimestampOrNull(row.edited_at),
  }
}
