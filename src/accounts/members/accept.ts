import Type from 'typebox'
import { appNetworkOperation, appOperation, type SignedInUser, WithSession } from '../../contract/app-operation.ts'
import { ApiError, invalid } from '../../contract/errors.ts'
import { body, nullable, resource, Timestamp } from '../../contract/schema.ts'
import { isoTimestamp } from '../../lib/timestamp.ts'
import { hashPassword } from '../../lib/passwords.ts'
import type { DbWork } from '../../storage/query.ts'
import type { InvitationTable, UserTable } from '../../storage/schema-accounts.ts'
import { openSession, rotateSession } from '../sessions/queries.ts'
import { emailKey, normalizePassword } from '../users/normalize.ts'
import { createUser, userWithEmail } from '../users/queries.ts'
import { Email, emailFaults, LinkToken, NewPassword, UserName } from '../users/schema.ts'
import { invitationWith, takeInvitation } from './invitations.ts'
import { addMember, recordJoin } from './queries.ts'
import { RoleName } from './schema.ts'

export const getInvitation = appOperation('getInvitation', {
  method: 'GET',
  path: '/invitations/link',
  access: 'read',
  tag: 'Members',
  summary: 'Get what an invitation is for',
  query: Type.Object({ token: LinkToken }),
  answer: {
    status: 200,
    schema: resource('InvitationLink', {
      organizationName: Type.String(),
      role: RoleName,
      email: nullable(Type.String(), { description: 'Whom it is for; null where it is for whoever has the link' }),
      invitedBy: Type.String(),
      expiresAt: Timestamp,
      hasAccount: Type.Boolean({ description: 'There is a user with that address, who should sign in first' }),
    }),
    description: 'What it is for',
  },
  errors: ['not_found'],
  *handle({ now }, { query: { token } }) {
    const invitation = yield* invitationWith(token, now)
    if (invitation === undefined) throw over()
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
    'Whoever is signed in joins as who they are. Otherwise a new user is made: `password` is required, and `email` where the ' +
    'invitation names none.',
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
    description: 'Joined, and signed in',
  },
  errors: ['not_found', 'conflict', 'forbidden'],
  *prepare({ signedIn, now }, { body: { token, email: given, password } }) {
    const invitation = yield* invitationWith(token, now)
    if (invitation === undefined) throw over()
    if (signedIn !== undefined) return requireMeant(invitation, signedIn)
    const email = invitation.email ?? given
    const missing = [...(email === undefined ? ['email'] : []), ...(password === undefined ? ['password'] : [])]
    if (missing.length > 0) throw invalid(missing.map((path) => ({ path, message: 'is required' })))
    if ((yield* userWithEmail(email as string)) !== undefined) throw taken()
    return normalizePassword(password as string)
  },
  run: async (password) => (password === undefined ? undefined : await hashPassword(password)),
  *save({ signedIn, client, now }, { body: { token, email, name } }, passwordHash) {
    const invitation = yield* takeInvitation(token, now)
    if (invitation === undefined) throw over()
    const organizationId = invitation.org_id
    if (signedIn !== undefined) {
      requireMeant(invitation, signedIn)
      if (!(yield* addMember(organizationId, signedIn.userId, invitation.role, now))) {
        throw new ApiError('conflict', 'You belong to this organization already')
      }
      yield* recordJoin(organizationId, { id: signedIn.userId, name: signedIn.name }, 'acceptInvitation', now)
      return new WithSession({ userId: signedIn.userId, organizationId }, yield* rotateSession(signedIn.sessionId))
    }
    const user = yield* newcomer(invitation, { email, name, passwordHash: passwordHash ?? null }, now)
    yield* addMember(organizationId, user.id, invitation.role, now)
    yield* recordJoin(organizationId, user, 'acceptInvitation', now)
    return new WithSession({ userId: user.id, organizationId }, yield* openSession(user.id, client, now))
  },
})

interface Newcomer {
  readonly email: string | undefined
  readonly name: string | undefined
  readonly passwordHash: string | null
}

function* newcomer(
  invitation: InvitationTable,
  { email, name, passwordHash }: Newcomer,
  now: number,
): DbWork<UserTable> {
  const address = invitation.email ?? email
  if (address === undefined || passwordHash === null) throw over()
  const emailVerifiedAt = invitation.mailed === 1 ? now : null
  const user = yield* createUser({ email: address, passwordHash, emailVerifiedAt, ...(name && { name }) }, now)
  if (user === undefined) throw taken()
  return user
}

function requireMeant({ email }: Pick<InvitationTable, 'email'>, signedIn: SignedInUser): undefined {
  if (email === null || emailKey(email) === emailKey(signedIn.email)) return undefined
  throw new ApiError('forbidden', `This invitation is for ${email}; sign out, or ask for one of your own`)
}

function taken(): ApiError {
  return new ApiError('conflict', 'There is a user with this address already; sign in first, then open the link again')
}

function over(): ApiError {
  return new ApiError('not_found', 'This invitation is not valid: it was used, taken back, or its time is over')
}
