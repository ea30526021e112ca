import Type from 'typebox'
import { appNetworkOperation, appOperation, type SignedInUser, WithSession } from '../../contract/app-operation.ts'
import { ApiError, invalid } from '../../contract/errors.ts'
import { body, nullable, resource, Timestamp } from '../../contract/schema.ts'
import { hashPassword } from '../../lib/passwords.ts'
import { isoTimestamp } from '../../lib/timestamp.ts'
import type { DbWork } from '../../storage/query.ts'
import type { InvitationTable, UserTable } from '../../storage/schema/accounts.ts'
import { openSession, rotateSession } from '../sessions/queries.ts'
import { emailKey, normalizePassword } from '../users/normalize.ts'
import { createUser, userWithEmail } from '../users/queries.ts'
import { Email, emailFaults, LinkToken, NewPassword, UserName } from '../users/schema.ts'
import { invitationWithToken, redeemInvitation } from './invitations.ts'
import { addMember, recordJoin } from './queries.ts'
import { RoleName } from './schema.ts'

export const getInvitation = appOperation('getInvitation', {
  method: 'GET',
  path: '/invitations/link',
  access: 'read',
  tag: 'Members',
  summary: 'Get an invitation',
  query: Type.Object({ token: LinkToken }),
  answer: {
    status: 200,
    schema: resource('InvitationLink', {
      organizationName: Type.String(),
      role: RoleName,
      email: nullable(Type.String(), { description: 'The invited address; null for an invitation by link' }),
      invitedBy: Type.String(),
      expiresAt: Timestamp,
      hasAccount: Type.Boolean({ description: 'A user with this address exists and should sign in first' }),
    }),
    description: 'The invitation',
  },
  errors: ['not_found'],
  *handle({ now }, { query: { token } }) {
    const invitation = yield* invitationWithToken(token, now)
    if (invitation === undefined) throw invalidLink()
    const { organizationName, role, email, invited_by: invitedBy, expires_at: expiresAt } = invitation
    const hasAccount = email !== null && (yield* userWithEmail(email)) !== undefined
    return { organizationName, role, email, invitedBy, expiresAt: isoTimestamp(expiresAt), hasAccount }
  },
})

export const acceptInvitation = appNetworkOperation('acceptInvitation', {
  method: 'POST',
  path: '/invitations/accept',
  access: 'write',
  tag: 'Members',
  summary: 'Accept an invitation',
  description:
    'A signed-in user joins. Otherwise a new user is created: `password` is required, and `email` if the ' +
    'invitation has none.',
  body: body('AcceptInvitation', {
    token: LinkToken,
    email: Type.Optional(Email),
    name: Type.Optional(UserName),
    password: Type.Optional(NewPassword),
  }),
  refine: emailFaults,
  answer: {
    status: 200,
    schema: resource('Joined', { userId: Type.String(), organizationId: Type.String() }),
    description: 'Joined and signed in',
  },
  errors: ['not_found', 'conflict', 'forbidden'],
  *prepare({ signedIn, client, now }, { body: { token, email: given, password } }) {
    const invitation = yield* invitationWithToken(token, now)
    if (invitation === undefined) throw invalidLink()
    if (signedIn !== undefined) return requireInvitee(invitation, signedIn)
    const email = invitation.email ?? given
    const missing = [...(email === undefined ? ['email'] : []), ...(password === undefined ? ['password'] : [])]
    if (missing.length > 0) throw invalid(missing.map((path) => ({ path, message: 'is required' })))
    if ((yield* userWithEmail(email as string)) !== undefined) throw addressTaken()
    return { password: normalizePassword(password as string), turn: { lane: 'unknown', key: client.address } as const }
  },
  run: async (task) => (task === undefined ? undefined : await hashPassword(task.password, task.turn)),
  *save({ signedIn, client, now }, { body: { token, email, name } }, passwordHash) {
    const invitation = yield* redeemInvitation(token, now)
    if (invitation === undefined) throw invalidLink()
    const organizationId = invitation.org_id
    if (signedIn !== undefined) {
      requireInvitee(invitation, signedIn)
      if (!(yield* addMember(organizationId, signedIn.userId, invitation.role, now))) {
        throw new ApiError('conflict', 'You are already a member of this organization')
      }
      yield* recordJoin(organizationId, { id: signedIn.userId, name: signedIn.name }, 'acceptInvitation', now)
      return new WithSession({ userId: signedIn.userId, organizationId }, yield* rotateSession(signedIn.sessionId))
    }
    const user = yield* createInvitedUser(invitation, { email, name, passwordHash: passwordHash ?? null }, now)
    yield* addMember(organizationId, user.id, invitation.role, now)
    yield* recordJoin(organizationId, user, 'acceptInvitation', now)
    return new WithSession({ userId: user.id, organizationId }, yield* openSession(user.id, client, now), user.id)
  },
})

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
  throw new ApiError(
    'forbidden',
    `This invitation is for ${email}. Sign out, or ask for an invitation for your address`,
  )
}

function addressTaken(): ApiError {
  return new ApiError('conflict', 'There is already an account with this address. Sign in, then open the link again')
}

function invalidLink(): ApiError {
  return new ApiError('not_found', 'This invitation is not valid: it was used, was revoked, or has expired')
}
