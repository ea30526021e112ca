import Type from 'typebox'
import { appOperation } from '../../contract/app-operation.ts'
import { nullable, resource, Timestamp } from '../../contract/schema.ts'
import { isoTimestamp } from '../../lib/timestamp.ts'
import { sessionsOf } from './queries.ts'

const Session = resource('Session', {
  id: Type.String({ minLength: 1 }),
  isCurrent: Type.Boolean({ description: 'The session of this request' }),
  address: Type.String({ description: 'Client address of the last use; for IPv6, the network' }),
  userAgent: nullable(Type.String()),
  createdAt: Timestamp,
  lastSeenAt: Timestamp,
  expiresAt: Timestamp,
})

export const listSessions = appOperation('listSessions', {
  method: 'GET',
  path: '/sessions',
  tag: 'Account',
  summary: 'List your sessions',
  answer: {
    status: 200,
    schema: resource('SessionList', { data: Type.Array(Session) }),
    description: 'Active sessions, the most recently used first',
  },
  *handle({ signedIn, now }) {
    const rows = yield* sessionsOf(signedIn.userId, now)
    return {
      data: rows.map((row) => ({
        id: row.id,
        isCurrent: row.id === signedIn.sessionId,
        address: row.address,
        userAgent: row.user_agent,
        createdAt: isoTimestamp(row.created_at),
        lastSeenAt: isoTimestamp(row.last_seen_at),
        expiresAt: isoTimestamp(row.expires_at),
      })),
    }
  },
})
