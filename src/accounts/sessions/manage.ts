import Type from 'typebox'
import { appOperation, WithSession } from '../../contract/app-operation.ts'
import { notFound } from '../../contract/errors.ts'
import { Deleted, resource } from '../../contract/schema.ts'
import { isoTimestamp } from '../../lib/timestamp.ts'
import { endSessionOf, endSessionsOf, rotateSession, sessionsOf } from './queries.ts'
import { Session } from './schema.ts'

export const listSessions = appOperation('listSessions', {
  method: 'GET',
  path: '/sessions',
  access: 'read',
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

export const endSession = appOperation('endSession', {
  method: 'DELETE',
  path: '/sessions/:sessionId',
  access: 'write',
  tag: 'Account',
  summary: 'End one of your sessions',
  params: Type.Object({ sessionId: Type.String() }),
  answer: { status: 200, schema: Deleted, description: 'The session was ended' },
  errors: ['not_found'],
  *handle({ signedIn }, { params }) {
    if (!(yield* endSessionOf(signedIn.userId, params.sessionId))) throw notFound('session')
    const answer = { data: { id: params.sessionId } }
    return params.sessionId === signedIn.sessionId ? new WithSession(answer, null) : answer
  },
})

export const endOtherSessions = appOperation('endOtherSessions', {
  method: 'POST',
  path: '/sessions/end-others',
  access: 'write',
  tag: 'Account',
  summary: 'End all your other sessions',
  answer: {
    status: 200,
    schema: resource('SessionsEnded', { ended: Type.Integer() }),
    description: 'The number of ended sessions',
  },
  *handle({ signedIn }) {
    const ended = yield* endSessionsOf(signedIn.userId, signedIn.sessionId)
    return new WithSession({ ended }, yield* rotateSession(signedIn.sessionId))
  },
})
