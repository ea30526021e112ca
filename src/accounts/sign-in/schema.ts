import Type from 'typebox'
import { nullable, oneOf, resource } from '../../contract/schema.ts'
import { Membership } from '../members/schema.ts'
import { User } from '../users/schema.ts'

/** A session in the cookie, or a challenge for the second factor. */
export const SignInResult = resource('SignInResult', {
  userId: nullable(Type.String({ minLength: 1 }), { description: 'Null while a second factor is required' }),
  challenge: Type.Optional(
    resource('SignInChallenge', {
      token: Type.String({ description: 'Sent with the code; valid for five minutes and five wrong codes' }),
      methods: Type.Array(oneOf(['TOTP', 'RECOVERY_CODE', 'PASSKEY']), {
        description: 'The second factors that are available',
      }),
    }),
  ),
})

/** The same answer whether or not an e-mail is sent. */
export const MailSent = resource('MailSent', { sent: Type.Boolean() })

export const Me = resource('Me', {
  user: User,
  sessionId: Type.String({ minLength: 1 }),
  organizations: Type.Array(Membership, { description: "The user's organizations, oldest first" }),
})
