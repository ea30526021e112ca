import Type from 'typebox'
import { appOperation, WithSession } from '../../contract/app-operation.ts'
import { notFound } from '../../contract/errors.ts'
import { Deleted, resource } from '../../contract/schema.ts'
import { endSessionOf, endSessionsOf, rotateSession } from './queries.ts'

export const endSession = appOperation('endSession', {
  method: 'DELETE',
  path: '/sessions/:sessionId',
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
