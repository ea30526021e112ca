import Type from 'typebox'
import { nullable, oneOf, resource, Timestamp } from '../../contract/schema.ts'
import { roles } from '../../storage/schema-accounts.ts'
import { User } from '../users/schema.ts'

/** What comes of coming in: a session, in the cookie, or a question that is left. */
export const CameIn = resource('CameIn', {
  userId: nullable(Type.String({ minLength: 1 }), { description: 'Null where a second factor is still asked for' }),
  challenge: Type.Optional(
    resource('SignInChallenge', {
      token: Type.String({ description: 'Goes with the code; good for five minutes and five wrong codes' }),
      methods: Type.Array(oneOf(['TOTP', 'RECOVERY_CODE', 'PASSKEY']), {
        description: 'What can finish the sign-in; a passkey does it by itself',
      }),
    }),
  ),
})

export const Session = resource('Session', {
  id: Type.String({ minLength: 1 }),
  isCurrent: Type.Boolean({ description: 'The one that asks' }),
  address: Type.String({ description: 'Where it was last used from; of IPv6 the network' }),
  userAgent: nullable(Type.String()),
  createdAt: Timestamp,
  lastSeenAt: Timestamp,
  expiresAt: Timestamp,
})

export const Membership = resource('Membership', {
  id: Type.String({ minLength: 1, description: 'Of the organization' }),
  slug: Type.String(),
  name: Type.String(),
  plan: Type.String(),
  subscription: oneOf(['active', 'inactive']),
  role: oneOf(roles),
})

export const Me = resource('Me', {
  user: User,
  sessionId: Type.String({ minLength: 1 }),
  organizations: Type.Array(Membership, { description: 'Those the user belongs to, the oldest first' }),
})
