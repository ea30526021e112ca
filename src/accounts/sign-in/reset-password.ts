import Type from 'typebox'
import { appErrand, WithSession } from '../../contract/app-operation.ts'
import { ApiError } from '../../contract/errors.ts'
import { body, resource } from '../../contract/schema.ts'
import { HOUR_MS } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { hashPassword } from '../../lib/passwords.ts'
import { known } from '../../storage/query.ts'
import { challengeFor, dropChallengesOf } from '../factors/queries.ts'
import { countAttempt, endSessionsOf, openSession, perMailbox, perMailClient } from '../sessions/queries.ts'
import { CameIn } from '../sessions/schema.ts'
import { letterWith } from '../users/account-mail.ts'
import { emailKey, normalPassword } from '../users/normalize.ts'
import { savePassword, saveVerified, userToChange, userWithEmail } from '../users/queries.ts'
import { Email, emailFaults, LinkToken, NewPassword } from '../users/schema.ts'
import { issueToken, isToken, redeemToken } from '../users/tokens.ts'

export const RESET_LIFE_MS = HOUR_MS

export function resetLink(baseUrl: string, token: string): string {
  return `${baseUrl}/reset-password?token=${token}`
}

export const requestPasswordReset = appErrand('requestPasswordReset', {
  method: 'POST',
  path: '/password-reset/request',
  access: 'write',
  tag: 'Account',
  summary: 'Ask for a link that sets a new password',
  description:
    'It is mailed, if there is such a user; the answer is the same if there is none. 409 where no mail server is set up.',
  body: body('RequestPasswordReset', { email: Email }),
  refine: emailFaults,
  answer: {
    status: 200,
    schema: resource('MailSent', { sent: Type.Boolean() }),
    description: 'A letter is on its way, if there is somebody to get it',
  },
  errors: ['conflict'],
  *ask({ accounts: { post }, client, installation, now }, { body: { email } }) {
    if (post === undefined) {
      throw new ApiError(
        'conflict',
        'This installation sends no mail; its operator can run "pharos users reset-password"',
      )
    }
    yield* countAttempt(
      [
        { brake: perMailbox, whose: emailKey(email) },
        { brake: perMailClient, whose: client.address },
      ],
      now,
    )
    const user = yield* userWithEmail(email)
    if (user === undefined) return undefined
    const token = yield* issueToken({ purpose: 'RESET_PASSWORD', userId: user.id }, now, RESET_LIFE_MS)
    return { post, to: user.email, link: resetLink(installation.baseUrl, token), id: newId('ntc', now) }
  },
  // Nobody waits for the mail server: how long it takes would tell whether there is a user.
  async run(task) {
    task?.post(
      letterWith(task.id, {
        to: task.to,
        subject: 'Set a new password',
        paragraphs: [
          'Somebody, most likely you, asked for a new password for Pharos. This link sets one within the next hour, once:',
          'If it was not you, there is nothing to do: your password stays as it is.',
        ],
        link: task.link,
      }),
    )
  },
  land: () => known({ sent: true }),
})

export const resetPassword = appErrand('resetPassword', {
  method: 'POST',
  path: '/password-reset',
  access: 'write',
  tag: 'Account',
  summary: 'Set a new password with the link',
  description:
    'All sessions of the user end, and a new one begins, once the second factor was shown where there is one.',
  body: body('ResetPassword', { token: LinkToken, password: NewPassword }),
  answer: {
    status: 200,
    schema: CameIn,
    description: 'The password is set, and its owner signed in or asked for the second factor',
  },
  errors: ['not_found'],
  *ask({ now }, { body: { token, password } }) {
    if (!(yield* isToken(token, 'RESET_PASSWORD', now))) throw over()
    return normalPassword(password)
  },
  run: (password) => hashPassword(password),
  *land({ client, now }, { body: { token } }, passwordHash) {
    const { userId = null } = (yield* redeemToken(token, 'RESET_PASSWORD', now)) ?? {}
    const user = userId === null ? undefined : yield* userToChange(userId)
    if (user === undefined) throw over()
    yield* savePassword(user.id, passwordHash, now)
    // Only who reads the mail, or whom the operator trusts, has the link.
    if (user.email_verified_at === null) yield* saveVerified(user.id, now)
    yield* endSessionsOf(user.id)
    yield* dropChallengesOf(user.id)
    // Whoever reads the mail is not yet whoever has the second factor.
    const challenge = yield* challengeFor(user.id, now)
    if (challenge !== undefined) return { userId: null, challenge }
    return new WithSession({ userId: user.id }, yield* openSession(user.id, client, now))
  },
})

function over(): ApiError {
  return new ApiError('not_found', 'This link is not valid: it was used, or its time is over')
}
