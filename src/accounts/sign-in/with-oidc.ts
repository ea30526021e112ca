import type { OpenContext, WithSession } from '../../contract/app-operation.ts'
import { oneLine, truncate } from '../../lib/text.ts'
import type { Claims } from '../../outbound/oidc.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import type { Role, UserTable } from '../../storage/schema/accounts.ts'
import type { IdentityTable } from '../../storage/schema/factors.ts'
import { addMember, recordJoin, recordUserChange } from '../members/queries.ts'
import { firstOrganization } from '../organizations/queries.ts'
import { replaceSession } from '../sessions/queries.ts'
import { normalizeEmail } from '../users/normalize.ts'
import { createUser, hasUsers, updateUser, userForUpdate, userWithEmail } from '../users/queries.ts'
import { byUser, reclaimAccount } from './reclaim-account.ts'

/** Why a user whom the provider authenticated cannot sign in. */
export type OidcRefusal = 'oidc_unverified' | 'oidc_unknown'

type Context = Pick<OpenContext, 'signedIn' | 'client' | 'now' | 'requestId'>

/**
 * A linked subject signs in as its user, even if its address has changed. A new subject is linked to the user with the same
 * address, but only if the provider has verified it: a profile can claim any address.
 */
export function* signInWithOidc(
  claims: Claims,
  signupRole: Role | undefined,
  context: Context,
): DbWork<WithSession<{ userId: string }> | OidcRefusal> {
  const { issuer, subject } = claims
  const linked = yield* userOfIdentity(issuer, subject)
  if (linked !== undefined) return yield* replaceSession(linked.id, context)
  const email = claims.emailVerified && claims.email !== undefined ? normalizeEmail(claims.email) : undefined
  if (email === undefined) return 'oidc_unverified'
  const user = (yield* userWithEmail(email)) ?? (yield* signUpWithOidc(email, claims.name, signupRole, context.now))
  if (user === undefined) return 'oidc_unknown'
  yield* linkIdentity(user.id, claims, context)
  return yield* replaceSession(user.id, context)
}

function* signUpWithOidc(
  email: string,
  name: string | undefined,
  role: Role | undefined,
  now: number,
): DbWork<UserTable | undefined> {
  // The first user must come from the setup link, which is invalid as soon as any user exists.
  if (role === undefined || !(yield* hasUsers())) return undefined
  const org = yield* firstOrganization()
  const displayName = truncate(oneLine(name ?? ''), 120)
  const user = yield* createUser(
    { email, passwordHash: null, emailVerifiedAt: now, ...(displayName && { name: displayName }) },
    now,
  )
  if (org === undefined || user === undefined) return yield* userWithEmail(email)
  yield* addMember(org.id, user.id, role, now)
  yield* recordJoin(org.id, user, 'signUpWithOidc', now)
  return user
}

function* linkIdentity(userId: string, { issuer, subject }: Claims, { requestId, now }: Context): DbWork<void> {
  const user = yield* userForUpdate(userId)
  if (user === undefined || !(yield* saveIdentity({ issuer, subject, user_id: userId, linked_at: now }))) return
  if (user.email_verified_at === null) {
    yield* updateUser(userId, { password_hash: null }, now)
    yield* reclaimAccount(user, byUser(user, requestId, now))
  }
  yield* recordUserChange(user, 'linkIdentity', requestId, now)
}

/** The user to whom an OIDC subject is linked. */
function* userOfIdentity(issuer: string, subject: string): DbWork<UserTable | undefined> {
  const users = q.selectFrom('identities as i').innerJoin('users as u', 'u.id', 'i.user_id').selectAll('u')
  const [user] = yield* execute(users.where('i.issuer', '=', issuer).where('i.subject', '=', subject))
  return user
}

/** False if the subject is linked already. */
function* saveIdentity(identity: IdentityTable): DbWork<boolean> {
  const insert = q.insertInto('identities').values(identity)
  const saved = yield* execute(
    insert.onConflict((conflict) => conflict.columns(['issuer', 'subject']).doNothing()).returning('subject'),
  )
  return saved.length === 1
}
