import { appNetworkOperation, appOperation, WithSession } from '../../contract/app-operation.ts'
import { ApiError } from '../../contract/errors.ts'
import { body } from '../../contract/schema.ts'
import { HOUR_MS } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { hashPassword } from '../../lib/passwords.ts'
import { subject } from '../../outbound/email-subject.ts'
import { reason } from '../../reasons/reason.ts'
import { dropChallengesOf } from '../factors/challenges.ts'
import { challengeFor } from '../factors/queries.ts'
import { countRequestedMail } from '../mail-budgets/budgets.ts'
import { hasSignedInFrom } from '../sessions/known-networks.ts'
import { endSessionsOf, openSession } from '../sessions/queries.ts'
import { accountEmail } from '../users/account-email.ts'
import { normalizePassword } from '../users/normalize.ts'
import { updateUser, userForUpdate, userWithEmail } from '../users/queries.ts'
import { accountFaults, Email, LinkToken, NewPassword } from '../users/schema.ts'
import { addToken, dropTokens, isValidToken, redeemToken } from '../users/tokens.ts'
import { byUser, reclaimAccount } from './reclaim-account.ts'
import { MailSent, SignInResult } from './schema.ts'

const RESET_LINK_LIFETIME_MS = HOUR_MS

export function resetLink(baseUrl: string, token: string): string {
  return `${baseUrl}/reset-password?token=${token}`
}

export const requestPasswordReset = appOperation('requestPasswordReset', {
  method: 'POST',
  path: '/password-reset/request',
  tag: 'Account',
  summary: 'Request a password reset',
  description:
    'Sends an e-mail with a link if the user exists. The response is the same if not. 409 without a mail ' + 'server.',
  body: body('RequestPasswordReset', { email: Email }),
  refine: accountFaults,
  answer: {
    status: 200,
    schema: MailSent,
    description: 'The e-mail is sent if the user exists',
  },
  errors: ['conflict'],
  *handle({ client, installation, now }, { body: { email } }) {
    const { queueMail } = installation
    if (queueMail === undefined) {
      throw new ApiError('conflict', reason('no_mail_reset'))
    }
    const user = yield* userWithEmail(email)
    const isKnownClient = user !== undefined && (yield* hasSignedInFrom(user.id, client.address, now))
    const request = { purpose: 'password reset', to: email, client: client.address, isKnownClient } as const
    yield* countRequestedMail(request, now)
    if (user === undefined) return { sent: true }
    // Earlier links stay valid: otherwise somebody else's request would break the one that the user is about to open.
    const token = yield* addToken({ purpose: 'RESET_PASSWORD', userId: user.id }, now, RESET_LINK_LIFETIME_MS)
    const mail = accountEmail(newId('ntc', now), {
      to: user.email,
      subject: subject`Reset your password`,
      paragraphs: [
        'You asked to reset your Pharos password. To set a new one, open this link within one hour. It works once:',
        ...(user.email_verified_at === null ? [unconfirmedWarning] : []),
        "If you didn't ask for this, ignore this e-mail. Your password stays the same.",
      ],
      link: resetLink(installation.baseUrl, token),
      button: 'Reset password',
    })
    // The answer does not wait for the mail server: the delay would reveal that the user exists.
    yield* queueMail(mail, now + RESET_LINK_LIFETIME_MS, now)
    return { sent: true }
  },
})

const unconfirmedWarning =
  'The address of this account was never confirmed. A new password therefore removes its passkeys and authenticator app and ' +
  'revokes the API keys and invitations that were created with it.'

export const resetPassword = appNetworkOperation('resetPassword', {
  method: 'POST',
  path: '/password-reset',
  tag: 'Account',
  summary: 'Set a new password with a reset link',
  description:
    'Ends all sessions of the user and starts a new one, after the second factor if there is one. If the address ' +
    'was never confirmed, also removes all factors and revokes the API keys and invitations that the user created.',
  body: body('ResetPassword', { token: LinkToken, password: NewPassword }),
  refine: accountFaults,
  answer: {
    status: 200,
    schema: SignInResult,
    description: 'Signed in, or a challenge for the second factor',
  },
  errors: ['not_found'],
  *prepare({ client, now }, { body: { token, password } }) {
    if (!(yield* isValidToken(token, 'RESET_PASSWORD', now))) throw invalidLink()
    return { password: normalizePassword(password), turn: { lane: 'known', key: client.address } as const }
  },
  run: ({ password, turn }) => hashPassword(password, turn),
  *save({ client, requestId, now }, { body: { token } }, passwordHash) {
    const { userId = null } = (yield* redeemToken(token, 'RESET_PASSWORD', now)) ?? {}
    const user = userId === null ? undefined : yield* userForUpdate(userId)
    if (user === undefined) throw invalidLink()
    yield* updateUser(user.id, { password_hash: passwordHash }, now)
    yield* dropTokens({ purpose: 'RESET_PASSWORD', userId: user.id })
    // The link was mailed to this address, or handed over by the operator.
    yield* reclaimAccount(user, byUser(user, requestId, now))
    yield* endSessionsOf(user.id)
    yield* dropChallengesOf(user.id)
    // Access to the mailbox does not replace the second factor.
    const challenge = yield* challengeFor(user.id, now)
    if (challenge !== undefined) return { userId: null, challenge }
    return new WithSession({ userId: user.id }, yield* openSession(user.id, client, now), user.id)
  },
})

function invalidLink(): ApiError {
  return new ApiError('not_found', reason('link_used'))
}
