import type { OpenVisit, WithSession } from '../../contract/app-operation.ts'
import { cut, oneLine } from '../../lib/text.ts'
import type { Claims } from '../../outbound/oidc.ts'
import type { Work } from '../../storage/query.ts'
import type { Role, UserTable } from '../../storage/schema-accounts.ts'
import { dropFactors } from '../factors/queries.ts'
import { saveIdentity, userOfIdentity } from '../identities/queries.ts'
import { addMember, recordJoin, recordOfUser } from '../members/queries.ts'
import { firstOrganization } from '../organizations/queries.ts'
import { comeIn, endSessionsOf } from '../sessions/queries.ts'
import { emailIn } from '../users/normalize.ts'
import { createUser, dropPassword, hasUsers, saveVerified, userToChange, userWithEmail } from '../users/queries.ts'

/** Why somebody whom the provider knows does not come in here. */
export type Refusal = 'oidc_unverified' | 'oidc_unknown'

type Visit = Pick<OpenVisit, 'signedIn' | 'client' | 'now' | 'requestId'>

/**
 * Signs in whom the provider names. A subject that was here before is its user, whatever its address is now; a new one is the
 * user with the same address, but only if the provider vouches for it: anybody can write any address into a profile.
 */
export function* comeInAs(
  claims: Claims,
  signupRole: Role | undefined,
  visit: Visit,
): Work<WithSession<{ userId: string }> | Refusal> {
  const { issuer, subject } = claims
  const known = yield* userOfIdentity(issuer, subject)
  if (known !== undefined) return yield* comeIn(known.id, visit)
  const email = claims.emailVerified && claims.email !== undefined ? emailIn(claims.email) : undefined
  if (email === undefined) return 'oidc_unverified'
  const user = (yield* userWithEmail(email)) ?? (yield* newcomer(email, claims.name, signupRole, visit.now))
  if (user === undefined) return 'oidc_unknown'
  yield* link(user.id, claims, visit)
  return yield* comeIn(user.id, visit)
}

function* newcomer(
  email: string,
  name: string | undefined,
  role: Role | undefined,
  now: number,
): Work<UserTable | undefined> {
  // Before the first user has claimed the installation nobody may come in before them: the link would be gone.
  if (role === undefined || !(yield* hasUsers())) return undefined
  const org = yield* firstOrganization()
  const called = cut(oneLine(name ?? ''), 120)
  const made = yield* createUser(
    { email, passwordHash: null, emailVerifiedAt: now, ...(called && { name: called }) },
    now,
  )
  if (org === undefined || made === undefined) return yield* userWithEmail(email)
  yield* addMember(org.id, made.id, role, now)
  yield* recordJoin(org.id, made, 'signUpWithOidc', now)
  return made
}

function* link(userId: string, { issuer, subject }: Claims, { requestId, now }: Visit): Work<void> {
  const user = yield* userToChange(userId)
  if (user === undefined || !(yield* saveIdentity({ issuer, subject, user_id: userId, linked_at: now }))) return
  if (user.email_verified_at === null) {
    // Whoever made this account never showed that the address is theirs, and may be waiting for its owner to use it.
    yield* dropPassword(userId, now)
    yield* dropFactors(userId)
    yield* endSessionsOf(userId)
    yield* saveVerified(userId, now)
  }
  yield* recordOfUser(user, 'linkIdentity', requestId, now)
}
