import Type from 'typebox'
import { appNetworkOperation, appOperation, type SignedInUser, WithSession } from '../../contract/app-operation.ts'
import { ApiError, faultFor, invalid } from '../../contract/errors.ts'
import type { Installation } from '../../contract/operation.ts'
import { body, nullable, resource, Timestamp } from '../../contract/schema.ts'
import { newId } from '../../lib/ids.ts'
import { hashPassword } from '../../lib/passwords.ts'
import { isoTimestamp } from '../../lib/timestamp.ts'
import type { Email as Mail } from '../../outbound/email.ts'
import { cleanName, subject } from '../../outbound/email-subject.ts'
import { reason } from '../../reasons/reason.ts'
import type { DbWork } from '../../storage/query.ts'
import type { InvitationTable, UserTable } from '../../storage/schema/accounts.ts'
import { countMemberMail } from '../mail-budgets/budgets.ts'
import { openSession, rotateSession } from '../sessions/queries.ts'
import { accountEmail } from '../users/account-email.ts'
import { emailKey, normalizeEmail, normalizePassword } from '../users/normalize.ts'
import { createUser, updateUser, userWithEmail, userWithId } from '../users/queries.ts'
import { accountFaults, Email, NewPassword, UserName } from '../users/schema.ts'
import { dropInvitation, invitationWithToken, sealInvitation } from './invitations.ts'
import { addMember, recordJoin } from './queries.ts'
import { RoleName } from './schema.ts'

/** Longer than other tokens if it was mailed in order to prove an address, which it contains. */
const InvitationToken = Type.String({ minLength: 1, maxLength: 700, description: 'The token of the link' })

export const getInvitation = appOperation('getInvitation', {
  method: 'GET',
  path: '/invitations/link',
  tag: 'Members',
  summary: 'Get an invitation',
  query: Type.Object({ token: InvitationToken }),
  answer: {
    status: 200,
    schema: resource('InvitationLink', {
      organizationName: Type.String(),
      role: RoleName,
      email: nullable(Type.String(), { description: 'The invited address; null for an invitation by link' }),
      invitedBy: Type.String(),
      expiresAt: Timestamp,
      confirmsAddress: Type.Boolean({
        description:
          'To accept without a session only sends an e-mail to the address. The link in it proves the address.',
      }),
      hasAccount: Type.Boolean({
        description: 'The link was mailed to the address, and a user with this address exists and should sign in first',
      }),
    }),
    description: 'The invitation',
  },
  errors: ['not_found'],
  *handle({ installation, now }, { query: { token } }) {
    const invitation = yield* invitationWithToken(token, installation.sealer, now)
    if (invitation === undefined) throw invalidLink()
    const { organizationName, role, email, mailed, invited_by: invitedBy, expires_at: expiresAt } = invitation
    // Only the owner of the address learns whether it has an account.
    const hasAccount = email !== null && mailed === 1 && (yield* userWithEmail(email)) !== undefined
    const confirmsAddress = mustConfirm(invitation, installation)
    return { organizationName, role, email, invitedBy, expiresAt: isoTimestamp(expiresAt), confirmsAddress, hasAccount }
  },
})

export const acceptInvitation = appNetworkOperation('acceptInvitation', {
  method: 'POST',
  path: '/invitations/accept',
  tag: 'Members',
  summary: 'Accept an invitation',
  description:
    'A signed-in user joins. Otherwise a new user is created: `password` is required, and `email` if the ' +
    'invitation has none. With a mail server, a link that was not mailed to the address only sends an e-mail ' +
    'there, with a link that continues; `name` and `password` are not used. The response does not reveal whether ' +
    'the address has an account. The same applies to a signed-in user whose address is not confirmed.',
  body: body('AcceptInvitation', {
    token: InvitationToken,
    email: Type.Optional(Email),
    name: Type.Optional(UserName),
    password: Type.Optional(NewPassword),
  }),
  refine: accountFaults,
  answer: {
    status: 200,
    schema: resource('Joined', {
      next: Type.Unsafe<'CONFIRM' | 'DONE'>({
        type: 'string',
        enum: ['CONFIRM', 'DONE'],
        description:
          'CONFIRM: an e-mail with a link was sent, and nothing else has changed. DONE: joined and signed in.',
      }),
      userId: nullable(Type.String()),
      organizationId: nullable(Type.String()),
    }),
    description: 'Joined and signed in, or an e-mail was sent',
  },
  errors: ['not_found', 'conflict', 'forbidden'],
  *prepare({ signedIn, client, installation, now }, { body: { token, email: given, password } }) {
    const invitation = yield* invitationWithToken(token, installation.sealer, now)
    if (invitation === undefined) throw invalidLink()
    if (signedIn !== undefined) return requireInvitee(invitation, signedIn)
    const confirms = mustConfirm(invitation, installation)
    const email = invitation.email ?? given
    const missing = [
      ...(email === undefined ? ['email'] : []),
      ...(password === undefined && !confirms ? ['password'] : []),
    ]
    if (missing.length > 0) throw invalid(missing.map((path) => faultFor(path, reason('required'))))
    if (confirms) return undefined
    if ((yield* userWithEmail(email as string)) !== undefined) throw addressTaken()
    return { password: normalizePassword(password as string), turn: { lane: 'unknown', key: client.address } as const }
  },
  run: async (task) => (task === undefined ? undefined : await hashPassword(task.password, task.turn)),
  *save({ signedIn, client, installation, now }, { body: { token, email, name } }, passwordHash) {
    const invitation = yield* invitationWithToken(token, installation.sealer, now)
    if (invitation === undefined) throw invalidLink()
    const me = signedIn && (yield* userWithId(signedIn.userId))
    const isConfirmed = me != null && me.email_verified_at !== null
    const { queueMail } = installation
    if (queueMail !== undefined && mustConfirm(invitation, installation) && !isConfirmed) {
      const mail = yield* addressProof(invitation, signedIn?.email ?? email, installation, now)
      yield* queueMail(mail, invitation.expires_at, now)
      return { next: 'CONFIRM' as const, userId: null, organizationId: null }
    }
    const organizationId = invitation.org_id
    // Of several parallel requests, one deletes it.
    if (!(yield* dropInvitation(organizationId, invitation.id))) throw invalidLink()
    if (signedIn !== undefined) {
      requireInvitee(invitation, signedIn)
      if (!(yield* addMember(organizationId, signedIn.userId, invitation.role, now))) {
        throw new ApiError('conflict', reason('member_already'))
      }
      if (invitation.mailed === 1 && !isConfirmed) yield* updateUser(signedIn.userId, { email_verified_at: now }, now)
      yield* recordJoin(organizationId, { id: signedIn.userId, name: signedIn.name }, 'acceptInvitation', now)
      const joined = { next: 'DONE' as const, userId: signedIn.userId, organizationId }
      return new WithSession(joined, yield* rotateSession(signedIn.sessionId))
    }
    const user = yield* createInvitedUser(invitation, { email, name, passwordHash: passwordHash ?? null }, now)
    yield* addMember(organizationId, user.id, invitation.role, now)
    yield* recordJoin(organizationId, user, 'acceptInvitation', now)
    const joined = { next: 'DONE' as const, userId: user.id, organizationId }
    return new WithSession(joined, yield* openSession(user.id, client, now), user.id)
  },
})

/** A link that was not mailed to the address does not prove it: somebody could join with the address of somebody else. */
function mustConfirm({ mailed }: Pick<InvitationTable, 'mailed'>, { queueMail }: Installation): boolean {
  return mailed === 0 && queueMail !== undefined
}

type FoundInvitation = InvitationTable & { readonly organizationName: string }

/** The e-mail whose link continues. It is the same for an address that has an account. */
function* addressProof(
  invitation: FoundInvitation,
  given: string | undefined,
  { baseUrl, sealer }: Installation,
  now: number,
): DbWork<Mail> {
  const to = invitation.email ?? (given === undefined ? undefined : normalizeEmail(given))
  if (to === undefined) throw invalidLink()
  yield* countMemberMail({ orgId: invitation.org_id, userId: invitation.created_by, to }, now)
  const organization = cleanName(invitation.organizationName)
  return accountEmail(newId('ntc', now), {
    to,
    subject: subject`Confirm your address to join ${invitation.organizationName} on Pharos`,
    paragraphs: [
      `To join ${organization} on Pharos with this address, open this link. It works once:`,
      "If you weren't expecting this e-mail, ignore it.",
    ],
    link: `${baseUrl}/invitation?token=${sealInvitation(invitation, to, sealer)}`,
    button: 'Continue',
  })
}

interface InvitedUser {
  readonly email: string | undefined
  readonly name: string | undefined
  readonly passwordHash: string | null
}

function* createInvitedUser(
  invitation: InvitationTable,
  { email, name, passwordHash }: InvitedUser,
  now: number,
): DbWork<UserTable> {
  const address = invitation.email ?? email
  if (address === undefined || passwordHash === null) throw invalidLink()
  const emailVerifiedAt = invitation.mailed === 1 ? now : null
  const user = yield* createUser({ email: address, passwordHash, emailVerifiedAt, ...(name && { name }) }, now)
  if (user === undefined) throw addressTaken()
  return user
}

function requireInvitee({ email }: Pick<InvitationTable, 'email'>, signedIn: SignedInUser): undefined {
  if (email === null || emailKey(email) === emailKey(signedIn.email)) return undefined
  throw new ApiError('forbidden', reason('invitation_of_other', { email }))
}

function addressTaken(): ApiError {
  return new ApiError('conflict', reason('account_exists_invited'))
}

function invalidLink(): ApiError {
  return new ApiError('not_found', reason('invitation_used'))
}
