import Type from 'typebox'
import { appOperation } from '../../contract/app-operation.ts'
import { defaulted, nullable, oneOf, resource, Timestamp, TimestampInput } from '../../contract/schema.ts'
import { isoTimestamp, parseTimestamp } from '../../lib/timestamp.ts'
import { execute, q } from '../../storage/query.ts'
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
  targetName: nullable(Type.String()),
  fields: Type.Array(Type.String(), { description: 'The names of the changed fields' }),
  requestId: nullable(Type.String()),
})

export const listAuditLog = appOperation('listAuditLog', {
  method: 'GET',
  path: '/audit-log',
  access: 'read',
  tag: 'Insight',
  summary: 'List the audit log',
  description: 'Newest first, for one year. Pass `next` as `before` to get the next page.',
  query: Type.Object({
    limit: defaulted(Type.Integer({ minimum: 1, maximum: 100 }), 50),
    before: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'The `next` of an earlier page' })),
    actorId: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    target: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    since: Type.Optional(TimestampInput),
    until: Type.Optional(TimestampInput),
  }),
  answer: {
    status: 200,
    schema: resource('AuditLog', { data: Type.Array(Entry), next: nullable(Type.String()) }),
    description: 'A page of changes',
  },
  *handle({ caller: { orgId } }, { query: { limit, before, actorId, target, since, until } }) {
    let changes = q.selectFrom('audit_entries').selectAll().where('org_id', '=', orgId)
    if (before !== undefined) changes = changes.where('id', '<', before)
    if (actorId !== undefined) changes = changes.where('actor_id', '=', actorId)
    if (target !== undefined) changes = changes.where('target', '=', target)
    if (since !== undefined) changes = changes.where('at', '>=', parseTimestamp(since))
    if (until !== undefined) changes = changes.where('at', '<=', parseTimestamp(until))
    // A range of time is read in the order of its index.
    if (since !== undefined || until !== undefined) changes = changes.orderBy('at', 'desc')
    const rows = yield* execute(changes.orderBy('id', 'desc').limit(limit + 1))
    const page = rows.slice(0, limit)
    return {
      data: page.map((row) => ({
        id: row.id,
        at: isoTimestamp(row.at),
        actor: { type: row.actor_type, id: row.actor_id, name: row.actor_name },
        action: row.action,
        target: row.target,
        targetName: row.target_name,
        fields: JSON.parse(row.fields) as string[],
        requestId: row.request_id,
      })),
      next: rows.length > limit ? (page.at(-1)?.id ?? null) : null,
    }
  },
})
