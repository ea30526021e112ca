import { appOperation } from '../../contract/app-operation.ts'
import { ApiError } from '../../contract/errors.ts'
import { body } from '../../contract/schema.ts'
import { DAY_MS } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { openToken, sealToken } from '../../lib/sealed-tokens.ts'
import { subject } from '../../outbound/email-subject.ts'
import { reason } from '../../reasons/reason.ts'
import { countRequestedMail } from '../mail-budgets/budgets.ts'
import { recordUserChange } from '../members/queries.ts'
import { accountEmail } from '../users/account-email.ts'
import { updateUser, userForUpdate } from '../users/queries.ts'
import { LinkToken, renderUser, User } from '../users/schema.ts'
import { MailSent } from './schema.ts'

const LIFETIME_MS = DAY_MS
const CONTEXT = 'confirm e-mail address'

export const requestEmailConfirmation = appOperation('requestEmailConfirmation', {
  method: 'POST',
  path: '/me/email-confirmation/request',
  tag: 'Account',
  summary: 'Request an e-mail to confirm your address',
  description:
    'Second factors and passkeys need a confirmed address. 409 if it is confirmed, or without a mail server.',
  answer: { status: 200, schema: MailSent, description: 'The e-mail is sent' },
  errors: ['conflict'],
  *handle({ signedIn, client, installation, now }) {
    const { queueMail, sealer, baseUrl } = installation
    if (queueMail === undefined) throw new ApiError('conflict', reason('no_mail_plain'))
    const user = yield* userForUpdate(signedIn.userId)
    if (user === undefined || user.email_verified_at !== null) {
      throw new ApiError('conflict', reason('email_confirmed'))
    }
    const request = { purpose: 'confirmation', to: user.email, client: client.address, isKnownClient: false } as const
    yield* countRequestedMail(request, now)
    const token = sealToken(sealer, [user.id, now + LIFETIME_MS], CONTEXT)
    const mail = accountEmail(newId('ntc', now), {
      to: user.email,
      subject: subject`Confirm your e-mail address`,
      paragraphs: [
        'To confirm the address of your Pharos account, open this link within 24 hours, where you are signed in:',
        "If you don't use Pharos, ignore this e-mail.",
      ],
      link: `${baseUrl}/confirm-email?token=${token}`,
      button: 'Confirm e-mail address',
    })
    yield* queueMail(mail, now + LIFETIME_MS, now)
    return { sent: true }
  },
})

/**
 * Needs the session of the same user: otherwise the owner of the address, by opening the link, would confirm an account that
 * somebody else has created and can sign in to.
 */
export const confirmEmail = appOperation('confirmEmail', {
  method: 'POST',
  path: '/me/email-confirmation',
  tag: 'Account',
  summary: 'Confirm your e-mail address',
  body: body('ConfirmEmail', { token: LinkToken }),
  answer: { status: 200, schema: User, description: 'The address is confirmed' },
  errors: ['not_found'],
  *handle({ signedIn, installation, requestId, now }, { body: { token } }) {
    const [userId, until] = openToken(token, installation.sealer, CONTEXT)
    const user = userId === signedIn.userId && Number(until) > now ? yield* userForUpdate(userId) : undefined
    if (user === undefined) {
      throw new ApiError('not_found', reason('link_of_other'))
    }
    if (user.email_verified_at === null) {
      yield* updateUser(user.id, { email_verified_at: now }, now)
      yield* recordUserChange(user, 'confirmEmail', requestId, now)
    }
    return renderUser({ ...user, email_verified_at: user.email_verified_at ?? now })
  },
})
