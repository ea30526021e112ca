import Type from 'typebox'
import { nullable, oneOf, resource } from '../../contract/schema.ts'
import { Membership } from '../members/schema.ts'
import { User } from '../users/schema.ts'

/** A session in the cookie, or a challenge for the second factor. */
export const SignInResult = resource('CameIn', {
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

export const Me = resource('Me', {
  user: User,
  sessionId: Type.String({ minLength: 1 }),
  organizations: Type.Array(Membership, { description: 'Those the user belongs to, the oldest first' }),
})
