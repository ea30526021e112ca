import Type from 'typebox'
import {
  AfterCommit,
  appNetworkOperation,
  appOperation,
  type Client,
  WithSession,
} from '../../contract/app-operation.ts'
import { ApiError } from '../../contract/errors.ts'
import { body, resource } from '../../contract/schema.ts'
import { DAY_MS } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { hashPassword } from '../../lib/passwords.ts'
import type { DbWork } from '../../storage/query.ts'
import { addMember, recordJoin } from '../members/queries.ts'
import { createOrganization as insertOrganization } from '../organizations/create.ts'
import { OrganizationName } from '../organizations/schema.ts'
import { countAttempt, perMailClient, perMailRecipient } from '../sessions/attempt-limits.ts'
import { openSession } from '../sessions/queries.ts'
import { accountMail } from '../users/account-mail.ts'
import { emailKey, normalizeEmail, normalizePassword } from '../users/normalize.ts'
import { createUser, userWithEmail } from '../users/queries.ts'
import { Email, emailFaults, LinkToken, NewPassword, UserName } from '../users/schema.ts'
import { issueTokenWithData, redeemToken } from '../users/tokens.ts'
import { SignInResult } from './schema.ts'

const CONFIRM_LIFE_MS = DAY_MS

/** What was asked for, until somebody shows that mail to the address arrives: before that there is no user. */
interface Wish {
  readonly email: string
  readonly passwordHash: string
  readonly organizationName: string
  readonly name?: string
}

const Outcome = resource('SignedUp', {
  next: Type.Unsafe<'CONFIRM' | 'DONE'>({
    type: 'string',
    enum: ['CONFIRM', 'DONE'],
    description: 'CONFIRM: a letter is on its way, by link does the rest. DONE: signed in.',
  }),
})

export const signUp = appNetworkOperation('signUp', {
  method: 'POST',
  path: '/sign-up',
  access: 'write',
  tag: 'Account',
  summary: 'Sign up, with an organization of your own',
  description:
    'Where the operator permits it. With a mail server set up, the answer is the same whether or not there is such a user ' +
    'already: the letter tells.',
  body: body('SignUp', {
    email: Email,
    password: NewPassword,
    organizationName: OrganizationName,
    name: Type.Optional(UserName),
  }),
  refine: emailFaults,
  answer: { status: 200, schema: Outcome, description: 'Signed up, or a letter is on its way' },
  errors: ['not_found', 'conflict'],
  *prepare({ accounts, client, now }, { body: { email, password } }) {
    requireOpen(accounts.openSignup)
    yield* countAttempt(
      [
        { limit: perMailRecipient, by: emailKey(email) },
        { limit: perMailClient, by: client.address },
      ],
      now,
    )
    return normalizePassword(password)
  },
  run: (password) => hashPassword(password),
  *save({ accounts: { queueMail, signupPlan }, client, installation, now }, { body: form }, passwordHash) {
    const email = normalizeEmail(form.email) as string
    const { organizationName, name } = form
    const wish: Wish = { email, passwordHash, organizationName, ...(name && { name }) }
    if (queueMail === undefined) return yield* done(wish, null, signupPlan, client, now)
    const user = yield* userWithEmail(email)
    const link =
      user === undefined
        ? `${installation.baseUrl}/confirm?token=${yield* issueTokenWithData('SIGN_UP', JSON.stringify(wish), now, CONFIRM_LIFE_MS)}`
        : `${installation.baseUrl}/sign-in`
    const letter = accountMail(newId('ntc', now), { to: user?.email ?? email, link, ...(user ? known : confirm) })
    return new AfterCommit({ next: 'CONFIRM' as const }, () => queueMail(letter))
  },
})

const confirm = {
  subject: 'Confirm your address',
  paragraphs: [
    'Somebody, most likely you, signed up for Pharos with this address. This link confirms it within a day, once:',
    'If it was not you, there is nothing to do: without the link nothing comes of it.',
  ],
}

const known = {
  subject: 'You have an account already',
  paragraphs: [
    'Somebody, most likely you, signed up for Pharos with this address, but you have an account already. Sign in here:',
    'If you have forgotten your password, ask for a new one there. If it was not you, there is nothing to do.',
  ],
}

export const confirmSignUp = appOperation('confirmSignUp', {
  method: 'POST',
  path: '/sign-up/confirm',
  access: 'write',
  tag: 'Account',
  summary: 'Confirm the address that you signed up with',
  body: body('ConfirmSignUp', { token: LinkToken }),
  answer: {
    status: 200,
    schema: SignInResult,
    description: 'The user and the organization are made, and the user is signed in',
  },
  errors: ['not_found', 'conflict'],
  *handle({ accounts, client, now }, { body: { token } }) {
    requireOpen(accounts.openSignup)
    const taken = yield* redeemToken(token, 'SIGN_UP', now)
    if (taken?.data == null) {
      throw new ApiError('not_found', 'This link is not valid: it was used, or its time is over')
    }
    const userId = yield* settle(JSON.parse(taken.data) as Wish, now, accounts.signupPlan, now)
    return new WithSession({ userId }, yield* openSession(userId, client, now))
  },
})

function* done(
  wish: Wish,
  verifiedAt: number | null,
  plan: string,
  client: Client,
  now: number,
): DbWork<WithSession<{ next: 'DONE' }>> {
  const userId = yield* settle(wish, verifiedAt, plan, now)
  return new WithSession({ next: 'DONE' as const }, yield* openSession(userId, client, now))
}

function* settle(
  { organizationName, ...wish }: Wish,
  verifiedAt: number | null,
  plan: string,
  now: number,
): DbWork<string> {
  const user = yield* createUser({ ...wish, emailVerifiedAt: verifiedAt }, now)
  if (user === undefined) throw new ApiError('conflict', 'There is a user with this address already; sign in instead')
  const org = yield* insertOrganization({ name: organizationName, plan }, now)
  yield* addMember(org.id, user.id, 'OWNER', now)
  yield* recordJoin(org.id, user, 'signUp', now)
  return user.id
}

function requireOpen(openSignup: boolean): void {
  if (!openSignup) throw new ApiError('not_found', 'Nobody can sign up here; ask a member for an invitation')
}
