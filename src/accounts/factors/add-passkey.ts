import { appNetworkOperation, type UserContext } from '../../contract/app-operation.ts'
import { ApiError } from '../../contract/errors.ts'
import { body, resource } from '../../contract/schema.ts'
import { newId } from '../../lib/ids.ts'
import { reason } from '../../reasons/reason.ts'
import type { UserTable } from '../../storage/schema/accounts.ts'
import { recordUserChange } from '../members/queries.ts'
import { requireConfirmedAddress } from '../users/confirmed-address.ts'
import { userForUpdate, userWithId } from '../users/queries.ts'
import { openPasskeyChallenge, sealPasskeyChallenge, usePasskeyChallenge } from './passkey-challenges.ts'
import { passkeysOf, savePasskey } from './passkey-queries.ts'
import {
  abandonReauthentication,
  beginReauthentication,
  checkPassword,
  requireReauthentication,
} from './reauthenticate.ts'
import {
  ChallengeToken,
  CreationOptions,
  NewCredential,
  Passkey,
  PasskeyName,
  ReauthenticationPassword,
  renderPasskey,
} from './schema.ts'
import { creationOptions, relyingPartyOf, verifyRegistration } from './webauthn.ts'

const MAX_PASSKEYS = 20

export const startPasskey = appNetworkOperation('startPasskey', {
  method: 'POST',
  path: '/me/passkeys/options',
  tag: 'Account',
  summary: 'Start to add a passkey',
  body: body('StartPasskey', { password: ReauthenticationPassword }),
  bodyRequired: false,
  answer: {
    status: 200,
    schema: resource('PasskeyCreation', { token: ChallengeToken, options: CreationOptions }),
    description: 'Options for the browser',
  },
  errors: ['conflict', 'forbidden'],
  *prepare(context, { body: { password } }) {
    const { signedIn, installation } = context
    relyingPartyOf(installation.baseUrl)
    const check = yield* beginReauthentication(context, password, true)
    return { check, signedIn, passkeys: yield* passkeysOf(signedIn.userId) }
  },
  async run({ check, signedIn: { userId, email, name }, passkeys }, { baseUrl }) {
    const checked = await checkPassword(check)
    return { checked, options: await creationOptions(baseUrl, { id: userId, email, name }, passkeys) }
  },
  abandon: (context, _input, { check }) => abandonReauthentication(context, check),
  *save(context, _input, { checked, options }) {
    const user = yield* requireReauthentication(context, checked)
    requireConfirmedAddress(user, context.installation)
    requireRoom(yield* passkeysOf(user.id))
    const { sealer } = context.installation
    return { token: sealPasskeyChallenge(sealer, options.challenge, contextOf(context, user), context.now), options }
  },
})

export const addPasskey = appNetworkOperation('addPasskey', {
  method: 'POST',
  path: '/me/passkeys',
  tag: 'Account',
  summary: 'Add a passkey',
  body: body('AddPasskey', { token: ChallengeToken, name: PasskeyName, response: NewCredential }),
  answer: { status: 201, schema: Passkey, description: 'The passkey' },
  errors: ['conflict', 'not_found'],
  *prepare(context, { body: { token, response } }) {
    const { installation, signedIn, now } = context
    const user = yield* userWithId(signedIn.userId)
    if (user === undefined) throw new ApiError('unauthorized', reason('sign_in_first'))
    const challenge = yield* openPasskeyChallenge(installation.sealer, token, contextOf(context, user), now)
    if (challenge === undefined) throw challengeExpired()
    return { response, challenge }
  },
  run: async ({ response, challenge }, { baseUrl }) => ({
    challenge,
    credential: await verifyRegistration(response, challenge, baseUrl),
  }),
  *save({ signedIn, installation, requestId, now }, { body: { name } }, { challenge, credential }) {
    if (credential === undefined) {
      throw new ApiError('conflict', reason('passkey_refused'))
    }
    const user = yield* userForUpdate(signedIn.userId)
    if (user === undefined) throw new ApiError('unauthorized', reason('sign_in_first'))
    requireConfirmedAddress(user, installation)
    requireRoom(yield* passkeysOf(user.id))
    if (!(yield* usePasskeyChallenge(challenge, now))) throw challengeExpired()
    const row = {
      id: newId('psk', now),
      user_id: user.id,
      credential_id: credential.credentialId,
      public_key: credential.publicKey,
      counter: credential.counter,
      transports: credential.transports,
      name: name.trim() || name,
      created_at: now,
      last_used_at: null,
    }
    if (!(yield* savePasskey(row))) throw new ApiError('conflict', reason('passkey_known'))
    yield* recordUserChange(user, 'addPasskey', requestId, now)
    return renderPasskey(row)
  },
})

/** A challenge belongs to one session. A new password or a new session invalidates it. */
function contextOf({ signedIn }: UserContext, { id, password_hash: hash }: UserTable): string {
  return `add\n${id}\n${signedIn.sessionId}\n${hash}`
}

function challengeExpired(): ApiError {
  return new ApiError('not_found', reason('passkey_timeout'))
}

function requireRoom(passkeys: readonly unknown[]): void {
  if (passkeys.length < MAX_PASSKEYS) return
  throw new ApiError('conflict', reason('passkey_limit', { count: MAX_PASSKEYS }))
}
