import Type from 'typebox'
import { appNetworkOperation, WithSession } from '../../contract/app-operation.ts'
import { ApiError, faultFor, invalid } from '../../contract/errors.ts'
import { body, resource } from '../../contract/schema.ts'
import { DAY_MS } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { parseStored } from '../../lib/json.ts'
import { hashPassword, requireHashingRoom } from '../../lib/passwords.ts'
import { subject } from '../../outbound/email-subject.ts'
import { reason } from '../../reasons/reason.ts'
import type { DbWork } from '../../storage/query.ts'
import { countRequestedMail } from '../mail-budgets/budgets.ts'
import { addMember, recordJoin } from '../members/queries.ts'
import { createOrganization, OrganizationName } from '../organizations/create.ts'
import { openSession } from '../sessions/queries.ts'
import { accountEmail } from '../users/account-email.ts'
import { normalizeEmail, normalizePassword } from '../users/normalize.ts'
import { createUser, userWithEmail } from '../users/queries.ts'
import { accountFaults, Email, LinkToken, NewPassword, UserName } from '../users/schema.ts'
import { addToken, isValidToken, redeemToken } from '../users/tokens.ts'
import { SignInResult } from './schema.ts'

const CONFIRM_LINK_LIFETIME_MS = DAY_MS

/** Stored with the token of the mailed link. Who opens the link chooses the password; the user is created then. */
interface PendingSignUp {
  readonly email: string
  readonly organizationName: string
  readonly name?: string
}

const SignUpResult = resource('SignedUp', {
  next: Type.Unsafe<'CONFIRM' | 'DONE'>({
    type: 'string',
    enum: ['CONFIRM', 'DONE'],
    description: 'CONFIRM: an e-mail with a confirmation link was sent. DONE: signed in.',
  }),
})

export const signUp = appNetworkOperation('signUp', {
  method: 'POST',
  path: '/sign-up',
  tag: 'Account',
  summary: 'Sign up with a new organization',
  description:
    'Only with open sign-up. With a mail server, `password` must be absent: it is chosen with the link in the e-mail. The ' +
    'response does not reveal whether the user exists: the e-mail does. Without one, `password` is required.',
  body: body('SignUp', {
    email: Email,
    password: Type.Optional(NewPassword),
    organizationName: OrganizationName,
    name: Type.Optional(UserName),
  }),
  refine: accountFaults,
  answer: { status: 200, schema: SignUpResult, description: 'Signed up, or an e-mail was sent' },
  errors: ['not_found', 'conflict'],
  *prepare({ accounts, client, installation, now }, { body: { email, password } }) {
    requireOpenSignup(accounts.openSignup)
    const task = passwordTask(password, installation.queueMail !== undefined, client.address)
    yield* countRequestedMail({ purpose: 'sign-up', to: email, client: client.address, isKnownClient: false }, now)
    return task
  },
  run: async (task) => task && (await hashPassword(task.password, task.turn)),
  *save({ accounts: { signupPlan }, client, installation, now }, { body: form }, passwordHash) {
    const email = normalizeEmail(form.email) as string
    const { organizationName, name } = form
    const pending: PendingSignUp = { email, organizationName, ...(name && { name }) }
    const { queueMail } = installation
    if (passwordHash !== undefined) {
      const userId = yield* createUserAndOrganization(pending, { passwordHash, emailVerifiedAt: null }, signupPlan, now)
      return new WithSession({ next: 'DONE' as const }, yield* openSession(userId, client, now), userId)
    }
    if (queueMail === undefined) throw new Error('A sign-up without a password needs a mail server')
    const user = yield* userWithEmail(email)
    const pendingToken = { purpose: 'SIGN_UP', userId: null, data: JSON.stringify(pending) } as const
    const link =
      user === undefined
        ? `${installation.baseUrl}/confirm?token=${yield* addToken(pendingToken, now, CONFIRM_LINK_LIFETIME_MS)}`
        : `${installation.baseUrl}/sign-in`
    const wording = user === undefined ? confirmWording : existingUserWording
    const mail = accountEmail(newId('ntc', now), { to: user?.email ?? email, link, ...wording })
    yield* queueMail(mail, now + CONFIRM_LINK_LIFETIME_MS, now)
    return { next: 'CONFIRM' as const }
  },
})

/** Somebody may sign up with the address of somebody else: a password that was chosen before the e-mail would be theirs. */
function passwordTask(password: string | undefined, isMailed: boolean, address: string) {
  if (isMailed) {
    if (password === undefined) return undefined
    throw invalid([{ path: 'password', message: 'must be absent: it is chosen with the link in the e-mail' }])
  }
  if (password === undefined) throw invalid([faultFor('password', reason('required'))])
  const turn = { lane: 'unknown', key: address } as const
  requireHashingRoom(turn)
  return { password: normalizePassword(password), turn }
}

const confirmWording = {
  subject: subject`Confirm your e-mail address`,
  paragraphs: [
    'You signed up for Pharos with this address. To confirm it and choose a password, open this link within 24 hours:',
    "If you didn't sign up, ignore this e-mail.",
  ],
  button: 'Confirm e-mail address',
}

const existingUserWording = {
  subject: subject`You already have an account`,
  paragraphs: [
    'You signed up for Pharos with this address, but it already has an account. Sign in here:',
    "If you forgot your password, reset it there. If you didn't sign up, ignore this e-mail.",
  ],
  button: 'Sign in',
}

export const confirmSignUp = appNetworkOperation('confirmSignUp', {
  method: 'POST',
  path: '/sign-up/confirm',
  tag: 'Account',
  summary: 'Choose the password of a sign-up, with the link in its e-mail',
  body: body('ConfirmSignUp', { token: LinkToken, password: NewPassword }),
  refine: accountFaults,
  answer: {
    status: 200,
    schema: SignInResult,
    description: 'The user and the organization are created, and the user is signed in',
  },
  errors: ['not_found', 'conflict'],
  *prepare({ accounts, client, now }, { body: { token, password } }) {
    requireOpenSignup(accounts.openSignup)
    if (!(yield* isValidToken(token, 'SIGN_UP', now))) throw invalidLink()
    return { password: normalizePassword(password), turn: { lane: 'known', key: client.address } as const }
  },
  run: ({ password, turn }) => hashPassword(password, turn),
  *save({ accounts, client, now }, { body: { token } }, passwordHash) {
    const redeemed = yield* redeemToken(token, 'SIGN_UP', now)
    if (redeemed?.data == null) throw invalidLink()
    const pending = parseStored(redeemed.data) as PendingSignUp
    const proof = { passwordHash, emailVerifiedAt: now }
    const userId = yield* createUserAndOrganization(pending, proof, accounts.signupPlan, now)
    return new WithSession({ userId }, yield* openSession(userId, client, now), userId)
  },
})

function* createUserAndOrganization(
  { email, organizationName, name }: PendingSignUp,
  proof: { readonly passwordHash: string; readonly emailVerifiedAt: number | null },
  plan: string,
  now: number,
): DbWork<string> {
  const user = yield* createUser({ email, ...(name && { name }), ...proof }, now)
  if (user === undefined) throw new ApiError('conflict', reason('account_exists'))
  const org = yield* createOrganization({ name: organizationName, plan }, now)
  yield* addMember(org.id, user.id, 'OWNER', now)
  yield* recordJoin(org.id, user, 'signUp', now)
  return user.id
}

function invalidLink(): ApiError {
  return new ApiError('not_found', reason('link_used'))
}

function requireOpenSignup(openSignup: boolean): void {
  if (!openSignup) throw new ApiError('not_found', reason('sign_up_closed'))
}
