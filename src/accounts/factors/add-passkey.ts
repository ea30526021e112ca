import { appNetworkOperation } from '../../contract/app-operation.ts'
import { ApiError } from '../../contract/errors.ts'
import { body, resource } from '../../contract/schema.ts'
import { newId } from '../../lib/ids.ts'
import { recordUserChange } from '../members/queries.ts'
import { userForUpdate } from '../users/queries.ts'
import { createChallenge, redeemChallenge } from './challenges.ts'
import { passkeysOf, savePasskey } from './passkey-queries.ts'
import { beginReauthentication, checkPassword, requireReauthentication } from './reauthenticate.ts'
import { renderPasskey } from './render.ts'
import {
  ChallengeToken,
  CreationOptions,
  NewCredential,
  Passkey,
  PasskeyName,
  ReauthenticationPassword,
} from './schema.ts'
import { creationOptions, relyingPartyOf, verifyRegistration } from './webauthn.ts'

const MOST_PASSKEYS = 20

export const startPasskey = appNetworkOperation('startPasskey', {
  method: 'POST',
  path: '/me/passkeys/options',
  access: 'write',
  tag: 'Account',
  summary: 'Begin to add a passkey',
  body: body('StartPasskey', { password: ReauthenticationPassword }),
  bodyRequired: false,
  answer: {
    status: 200,
    schema: resource('PasskeyCreation', { token: ChallengeToken, options: CreationOptions }),
    description: 'What the browser needs to make one',
  },
  errors: ['conflict', 'forbidden'],
  *prepare(visit, { body: { password } }) {
    const { signedIn, installation } = visit
    relyingPartyOf(installation.baseUrl)
    const proof = yield* beginReauthentication(visit, { password, allowRecentSignIn: true })
    return { proof, signedIn, passkeys: yield* passkeysOf(signedIn.userId) }
  },
  async run({ proof, signedIn: { userId, email, name }, passkeys }, { baseUrl }) {
    const weighed = await checkPassword(proof)
    return { weighed, options: await creationOptions(baseUrl, { id: userId, email, name }, passkeys) }
  },
  *save(visit, _input, { weighed, options }) {
    const user = yield* requireReauthentication(visit, weighed)
    requireRoom(yield* passkeysOf(user.id))
    const question = { purpose: 'ADD_PASSKEY', userId: user.id, data: options.challenge } as const
    return { token: yield* createChallenge(question, visit.now), options }
  },
})

export const addPasskey = appNetworkOperation('addPasskey', {
  method: 'POST',
  path: '/me/passkeys',
  access: 'write',
  tag: 'Account',
  summary: 'Add the passkey that the browser made',
  body: body('AddPasskey', { token: ChallengeToken, name: PasskeyName, response: NewCredential }),
  answer: { status: 201, schema: Passkey, description: 'The passkey' },
  errors: ['conflict', 'not_found'],
  *prepare({ signedIn, now }, { body: { token, response } }) {
    const taken = yield* redeemChallenge(token, 'ADD_PASSKEY', now)
    if (taken?.user_id !== signedIn.userId || taken.data === null) {
      throw new ApiError('not_found', 'This took too long; begin anew')
    }
    return { response, challenge: taken.data }
  },
  run: ({ response, challenge }, { baseUrl }) => verifyRegistration(response, challenge, baseUrl),
  *save({ signedIn, requestId, now }, { body: { name } }, made) {
    if (made === undefined) {
      throw new ApiError(
        'conflict',
        'The passkey was not made for this server, or does not ask who uses it; begin anew',
      )
    }
    const user = yield* userForUpdate(signedIn.userId)
    if (user === undefined) throw new ApiError('unauthorized', 'Sign in first')
    requireRoom(yield* passkeysOf(user.id))
    const row = {
      id: newId('psk', now),
      user_id: user.id,
      credential_id: made.credentialId,
      public_key: made.publicKey,
      counter: made.counter,
      transports: made.transports,
      name: name.trim() || name,
      created_at: now,
      last_used_at: null,
    }
    if (!(yield* savePasskey(row))) throw new ApiError('conflict', 'This passkey was added already')
    yield* recordUserChange(user, 'addPasskey', requestId, now)
    return renderPasskey(row)
  },
})

function requireRoom(passkeys: readonly unknown[]): void {
  if (passkeys.length < MOST_PASSKEYS) return
  throw new ApiError('conflict', `You have ${MOST_PASSKEYS} passkeys, which is the most; remove one first`)
}
