import Type from 'typebox'
import { appNetworkOperation, WithSession } from '../../contract/app-operation.ts'
import { ApiError } from '../../contract/errors.ts'
import { body } from '../../contract/schema.ts'
import { hashPassword } from '../../lib/passwords.ts'
import { reason } from '../../reasons/reason.ts'
import type { DbWork } from '../../storage/query.ts'
import type { UserTable } from '../../storage/schema/accounts.ts'
import { addMember, recordJoin } from '../members/queries.ts'
import { OrganizationName } from '../organizations/create.ts'
import { changeOrganization, firstOrganization } from '../organizations/queries.ts'
import { openSession } from '../sessions/queries.ts'
import { normalizePassword } from '../users/normalize.ts'
import { createUser, hasUsers } from '../users/queries.ts'
import { accountFaults, Email, LinkToken, NewPassword, UserName } from '../users/schema.ts'
import { issueToken, isValidToken, redeemToken } from '../users/tokens.ts'
import { SignInResult } from './schema.ts'

/** Replaces the previous token. Undefined once there is a user. */
export function* issueSetupToken(now: number): DbWork<string | undefined> {
  if (yield* hasUsers()) return undefined
  return yield* issueToken({ purpose: 'SETUP', userId: null }, now, null)
}

export function setupLink(baseUrl: string, token: string): string {
  return `${baseUrl}/setup?token=${token}`
}

/** Creates the first user as owner of the first organization. Undefined once there is a user. */
export function* addFirstOwner(
  given: { readonly email: string; readonly passwordHash: string; readonly name?: string },
  now: number,
): DbWork<{ orgId: string; user: UserTable } | undefined> {
  const org = yield* firstOrganization()
  if (org === undefined || (yield* hasUsers())) return undefined
  const user = yield* createUser({ ...given, emailVerifiedAt: now }, now)
  if (user === undefined) return undefined
  yield* addMember(org.id, user.id, 'OWNER', now)
  yield* recordJoin(org.id, user, 'setUp', now)
  return { orgId: org.id, user }
}

export const setUp = appNetworkOperation('setUp', {
  method: 'POST',
  path: '/setup',
  tag: 'Account',
  summary: 'Set up a new installation',
  description:
    'Creates the first user as owner of the first organization. Needs the single-use token of the link that ' +
    '"pharos setup-link" prints.',
  body: body('SetUp', {
    token: LinkToken,
    email: Email,
    password: NewPassword,
    organizationName: OrganizationName,
    name: Type.Optional(UserName),
  }),
  refine: accountFaults,
  answer: { status: 201, schema: SignInResult, description: 'The installation is set up and the user signed in' },
  errors: ['not_found'],
  *prepare({ client, now }, { body: { token, password } }) {
    if (!(yield* isValidToken(token, 'SETUP', now)) || (yield* hasUsers())) throw invalidLink()
    return { password: normalizePassword(password), turn: { lane: 'known', key: client.address } as const }
  },
  run: ({ password, turn }) => hashPassword(password, turn),
  *save({ client, now }, { body: { token, email, organizationName, name } }, passwordHash) {
    // Redeeming deletes the token, so one of several parallel requests succeeds.
    if ((yield* redeemToken(token, 'SETUP', now)) === undefined) throw invalidLink()
    const owner = yield* addFirstOwner({ email, passwordHash, ...(name && { name }) }, now)
    if (owner === undefined) throw invalidLink()
    const { orgId, user } = owner
    yield* changeOrganization(orgId, { name: organizationName })
    return new WithSession({ userId: user.id }, yield* openSession(user.id, client, now), user.id)
  },
})

function invalidLink(): ApiError {
  return new ApiError('not_found', reason('setup_link_used'))
}
