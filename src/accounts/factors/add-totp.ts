import { randomBytes } from 'node:crypto'
import Type from 'typebox'
import { appNetworkOperation } from '../../contract/app-operation.ts'
import { ApiError, faultFor, invalid } from '../../contract/errors.ts'
import { body, resource } from '../../contract/schema.ts'
import { base32, TOTP_SECRET_BYTES, totpUri } from '../../lib/totp.ts'
import { reason } from '../../reasons/reason.ts'
import { recordUserChange } from '../members/queries.ts'
import { clearFailures, countPasswordAttempt } from '../sessions/attempt-limits.ts'
import { signedInAttempt } from '../sessions/known-clients.ts'
import { requireConfirmedAddress } from '../users/confirmed-address.ts'
import { userForUpdate } from '../users/queries.ts'
import { reauthentication, requireReauthentication } from './reauthenticate.ts'
import { issueRecoveryCodes } from './renew-recovery-codes.ts'
import { Code, ReauthenticationPassword, RecoveryCodes } from './schema.ts'
import { confirmTotpSecret, saveTotpSecret, totpOf, useTotpCode } from './totp-queries.ts'

export const startTotp = appNetworkOperation('startTotp', {
  method: 'POST',
  path: '/me/totp',
  tag: 'Account',
  summary: 'Start to set up an authenticator app',
  description: 'Returns a secret for the app. It takes effect after a code is confirmed.',
  body: body('StartTotp', { password: ReauthenticationPassword }),
  bodyRequired: false,
  answer: {
    status: 200,
    schema: resource('TotpSecret', {
      secret: Type.String({ description: 'In base32, for typing' }),
      uri: Type.String({ description: 'An otpauth:// URL for a QR code' }),
    }),
    description: 'The secret for the app',
  },
  errors: ['conflict', 'forbidden'],
  ...reauthentication({ allowRecentSignIn: true }),
  *save(context, _input, checked) {
    const { installation, now } = context
    const user = yield* requireReauthentication(context, checked)
    requireConfirmedAddress(user, installation)
    if ((yield* totpOf(user.id))?.confirmed_at != null) {
      throw new ApiError('conflict', reason('totp_in_use'))
    }
    const secret = randomBytes(TOTP_SECRET_BYTES)
    yield* saveTotpSecret(user.id, secret, installation.sealer, now)
    // Authenticator apps replace an entry with the same issuer and account, so the issuer names the host.
    const issuer = `Pharos ${new URL(installation.baseUrl).host}`
    return { secret: base32(secret), uri: totpUri(secret, issuer, user.email) }
  },
})

/** A sentence of its own: other faults continue the name of the field. */
const WRONG_CODE = reason('wrong_code')

export const confirmTotp = appNetworkOperation('confirmTotp', {
  method: 'POST',
  path: '/me/totp/confirm',
  tag: 'Account',
  summary: 'Confirm the authenticator app with a code',
  description: 'From now on, a sign-in with the password requires a code. Recovery codes replace a lost app.',
  body: body('ConfirmTotp', { code: Code }),
  answer: { status: 200, schema: RecoveryCodes, description: 'Recovery codes' },
  errors: ['conflict'],
  *prepare({ signedIn, client, now }) {
    const user = yield* userForUpdate(signedIn.userId)
    const totp = yield* totpOf(signedIn.userId)
    if (user === undefined || totp === undefined || totp.confirmed_at !== null) throw notBegun()
    // Without a limit, an unattended browser could be used to try all codes and get the recovery codes.
    yield* countPasswordAttempt(signedInAttempt(user, signedIn, client).attempt, now)
  },
  run: async () => undefined,
  *save(context, { body: { code } }) {
    const { signedIn, client, installation, requestId, now } = context
    const user = yield* userForUpdate(signedIn.userId)
    if (user === undefined || (yield* totpOf(user.id))?.confirmed_at !== null) throw notBegun()
    requireConfirmedAddress(user, installation)
    if (!(yield* useTotpCode(user.id, code, installation.sealer, now))) {
      throw invalid([faultFor('code', WRONG_CODE)])
    }
    yield* confirmTotpSecret(user.id, now)
    yield* clearFailures(signedInAttempt(user, signedIn, client).attempt, now)
    yield* recordUserChange(user, 'confirmTotp', requestId, now)
    return yield* issueRecoveryCodes(user.id, installation.sealer)
  },
})

function notBegun(): ApiError {
  return new ApiError('conflict', reason('totp_missing'))
}
