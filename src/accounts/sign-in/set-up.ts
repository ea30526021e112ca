import Type from 'typebox'
import { appNetworkOperation, WithSession } from '../../contract/app-operation.ts'
import { ApiError } from '../../contract/errors.ts'
import { body } from '../../contract/schema.ts'
import { hashPassword } from '../../lib/passwords.ts'
import type { DbWork } from '../../storage/query.ts'
import { addMember, recordJoin } from '../members/queries.ts'
import { firstOrganization, renameOrganization } from '../organizations/queries.ts'
import { OrganizationName } from '../organizations/schema.ts'
import { openSession } from '../sessions/queries.ts'
import { normalizePassword } from '../users/normalize.ts'
import { createUser, hasUsers } from '../users/queries.ts'
import { accountFaults, Email, LinkToken, NewPassword, UserName } from '../users/schema.ts'
import { issueToken, isValidToken, redeemToken } from '../users/tokens.ts'
import { SignInResult } from './schema.ts'

/** Issued at every start until the first user exists; replaces the previous token. Undefined once there is a user. */
export function* issueSetupToken(now: number): DbWork<string | undefined> {
  if (yield* hasUsers()) return undefined
  return yield* issueToken({ purpose: 'SETUP', userId: null }, now, null)
}

export const setUp = appNetworkOperation('setUp', {
  method: 'POST',
  path: '/setup',
  access: 'write',
  tag: 'Account',
  summary: 'Set up a new installation',
  description:
    'Creates the first user as owner of the first organization. Needs the single-use token that the server ' +
    'printed.',
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
    if ((yield* redeemToken(token, 'SETUP', now)) === undefined || (yield* hasUsers())) throw invalidLink()
    const org = yield* firstOrganization()
    const user = yield* createUser({ email, passwordHash, emailVerifiedAt: now, ...(name && { name }) }, now)
    if (org === undefined || user === undefined) throw invalidLink()
    yield* renameOrganization(org.id, organizationName)
    yield* addMember(org.id, user.id, 'OWNER', now)
    yield* recordJoin(org.id, user, 'setUp', now)
    return new WithSession({ userId: user.id }, yield* openSession(user.id, client, now), user.id)
  },
})

function invalidLink(): ApiError {
  return new ApiError('not_found', 'This setup link is not valid: it was used, or the server has printed a newer one')
}
