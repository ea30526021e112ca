import { appNetworkOperation } from '../../contract/app-operation.ts'
import { ApiError } from '../../contract/errors.ts'
import { body, Empty, resource } from '../../contract/schema.ts'
import { reason } from '../../reasons/reason.ts'
import { constant } from '../../storage/query.ts'
import { openPasskeyChallenge, sealPasskeyChallenge, usePasskeyChallenge } from '../factors/passkey-challenges.ts'
import { passkeyWithCredential, savePasskeyUse } from '../factors/passkey-queries.ts'
import { ChallengeToken, CredentialUse, RequestOptions } from '../factors/schema.ts'
import { relyingPartyOf, requestOptions, verifyAssertion } from '../factors/webauthn.ts'
import { replaceSession } from '../sessions/queries.ts'
import { SignInResult } from './schema.ts'

/** Binds challenges to this purpose. */
const SIGN_IN = 'sign in'

export const startPasskeySignIn = appNetworkOperation('startPasskeySignIn', {
  method: 'POST',
  path: '/sign-in/passkey/options',
  tag: 'Account',
  summary: 'Start a sign-in with a passkey',
  description: 'Needs no user name: the browser offers its passkeys for this server.',
  body: Empty,
  bodyRequired: false,
  answer: {
    status: 200,
    schema: resource('PasskeyRequest', { token: ChallengeToken, options: RequestOptions }),
    description: 'Options for the browser',
  },
  errors: ['conflict'],
  prepare: ({ installation }) => constant(void relyingPartyOf(installation.baseUrl)),
  run: (_task, { baseUrl }) => requestOptions(baseUrl),
  save: ({ installation: { sealer }, now }, _input, options) =>
    constant({ token: sealPasskeyChallenge(sealer, options.challenge, SIGN_IN, now), options }),
})

export const signInWithPasskey = appNetworkOperation('signInWithPasskey', {
  method: 'POST',
  path: '/sign-in/passkey',
  tag: 'Account',
  summary: 'Sign in with a passkey',
  description:
    'Needs no password and no second factor, because the passkey has verified the user. 401 for an unknown ' +
    'passkey, 404 if the sign-in must be restarted.',
  body: body('SignInWithPasskey', { token: ChallengeToken, response: CredentialUse }),
  answer: { status: 200, schema: SignInResult, description: 'Signed in' },
  errors: ['unauthorized', 'not_found', 'conflict'],
  *prepare({ installation: { sealer }, now }, { body: { token, response } }) {
    const challenge = yield* openPasskeyChallenge(sealer, token, SIGN_IN, now)
    if (challenge === undefined) throw challengeExpired()
    return { response, challenge, passkey: yield* passkeyWithCredential(response.id) }
  },
  async run({ response, challenge, passkey }, { baseUrl }) {
    const handle: unknown = response.response.userHandle
    if (passkey === undefined || typeof handle !== 'string') return undefined
    if (Buffer.from(handle, 'base64url').toString() !== passkey.user_id) return undefined
    const counter = await verifyAssertion(response, passkey, challenge, baseUrl)
    return counter === undefined ? undefined : { passkey, counter, challenge }
  },
  *save(context, _input, verified) {
    if (verified === undefined) throw refused()
    const { passkey, counter, challenge } = verified
    if (!(yield* usePasskeyChallenge(challenge, context.now))) throw challengeExpired()
    if (!(yield* savePasskeyUse(passkey.id, passkey.counter, counter, context.now))) throw refused()
    return yield* replaceSession(passkey.user_id, context)
  },
})

function challengeExpired(): ApiError {
  return new ApiError('not_found', reason('sign_in_timeout'))
}

/** The same answer for every cause, so that it does not reveal which passkeys exist. */
function refused(): ApiError {
  return new ApiError('unauthorized', reason('unknown_passkey'))
}
