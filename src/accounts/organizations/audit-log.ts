import Type from 'typebox'
import { operation } from '../../contract/operation.ts'
import { nullable, oneOf, page, pageQuery, resource, Timestamp, TimestampInput } from '../../contract/schema.ts'
import { parseStored } from '../../lib/json.ts'
import { isoTimestamp, parseTimestamp } from '../../lib/timestamp.ts'
import { listPage } from '../../storage/list-index.ts'
import { q } from '../../storage/query.ts'
import { actorTypes } from '../../storage/schema/accounts.ts'

const Entry = resource('AuditEntry', {
  id: Type.String({ minLength: 1 }),
  at: Timestamp,
  actor: Type.Object({
    type: oneOf(actorTypes),
    id: nullable(Type.String()),
    name: Type.String({ description: 'The name at that time' }),
  }),
  action: Type.String({ description: 'The operation or command' }),
  target: nullable(Type.String(), { description: 'The id of the changed resource' }),
  targetName: nullable(Type.String(), {
    description: 'The name of the changed resource at that time; of an incident, the name of its monitor',
  }),
  fields: Type.Array(Type.String(), { description: 'The names of the changed fields' }),
  requestId: nullable(Type.String()),
})

export const listAuditLog = operation({
  id: 'listAuditLog',
  method: 'GET',
  path: '/audit-log',
  access: 'read',
  role: 'ADMIN',
  extension: true,
  tag: 'Insight',
  summary: 'List the audit log',
  description: 'Who changed what, newest first, for one year. Values and secrets are not recorded.',
  query: Type.Object({
    ...pageQuery,
    actorId: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'Only changes by this user or API key' }),
    ),
    target: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'Only changes of the resource with this id' }),
    ),
    since: Type.Optional(TimestampInput),
    until: Type.Optional(TimestampInput),
  }),
  answer: { status: 200, schema: page('AuditLogPage', Entry), description: 'A page of changes' },
  *handle({ caller: { orgId } }, { query: { limit, offset, actorId, target, since, until } }) {
    let changes = q.selectFrom('audit_entries').selectAll().where('org_id', '=', orgId)
    if (actorId !== undefined) changes = changes.where('actor_id', '=', actorId)
    if (target !== undefined) changes = changes.where('target', '=', target)
    if (since !== undefined) changes = changes.where('at', '>=', parseTimestamp(since))
    if (until !== undefined) changes = changes.where('at', '<=', parseTimestamp(until))
    // A range of time is read in the order of its index.
    const ordered = since !== undefined || until !== undefined ? changes.orderBy('at', 'desc') : changes
    const { rows, total } = yield* listPage(ordered.orderBy('id', 'desc'), { limit, offset })
    return {
      data: rows.map((row) => ({
        id: row.id,
        at: isoTimestamp(row.at),
        actor: { type: row.actor_type, id: row.actor_id, name: row.actor_name },
        action: row.action,
        target: row.target,
        targetName: row.target_name,
        fields: parseStored(row.fields) as string[],
        requestId: row.request_id,
      })),
      pagination: { limit, offset, total },
    }
  },
})
