import Type from 'typebox'
import { appOperation, WithSession } from '../../contract/app-operation.ts'
import { resource } from '../../contract/schema.ts'
import { endSessionOf } from './queries.ts'

export const signOut = appOperation('signOut', {
  method: 'POST',
  path: '/sign-out',
  tag: 'Account',
  summary: 'Sign out',
  description: 'Ends the session and deletes the cookie. Without a session nothing changes.',
  answer: { status: 200, schema: resource('SignedOut', { ended: Type.Boolean() }), description: 'Signed out' },
  *handle({ signedIn }) {
    const ended = signedIn !== undefined && (yield* endSessionOf(signedIn.userId, signedIn.sessionId))
    return new WithSession({ ended }, null)
  },
})
