import type { OpenContext, WithSession } from '../../contract/app-operation.ts'
import { oneLine, truncate } from '../../lib/text.ts'
import type { Claims } from '../../outbound/oidc.ts'
import type { DbWork } from '../../storage/query.ts'
import type { Role, UserTable } from '../../storage/schema-accounts.ts'
import { dropFactors } from '../factors/queries.ts'
import { saveIdentity, userOfIdentity } from '../identities/queries.ts'
import { addMember, recordJoin, recordUserChange } from '../members/queries.ts'
import { firstOrganization } from '../organizations/queries.ts'
import { endSessionsOf, replaceSession } from '../sessions/queries.ts'
import { normalizeEmail } from '../users/normalize.ts'
import {
  createUser,
  dropPassword,
  hasUsers,
  saveEmailVerified,
  userForUpdate,
  userWithEmail,
} from '../users/queries.ts'

/** Why somebody whom the provider knows does not come in here. */
export type OidcRefusal = 'oidc_unverified' | 'oidc_unknown'

type Visit = Pick<OpenContext, 'signedIn' | 'client' | 'now' | 'requestId'>

/**
 * Signs in whom the provider names. A subject that was here before is its user, whatever its address is now; a new one is the
 * user with the same address, but only if the provider vouches for it: anybody can write any address into a profile.
 */
export function* signInWithOidc(
  claims: Claims,
  signupRole: Role | undefined,
  visit: Visit,
): DbWork<WithSession<{ userId: string }> | OidcRefusal> {
  const { issuer, subject } = claims
  const known = yield* userOfIdentity(issuer, subject)
  if (known !== undefined) return yield* replaceSession(known.id, visit)
  const email = claims.emailVerified && claims.email !== undefined ? normalizeEmail(claims.email) : undefined
  if (email === undefined) return 'oidc_unverified'
  const user = (yield* userWithEmail(email)) ?? (yield* newcomer(email, claims.name, signupRole, visit.now))
  if (user === undefined) return 'oidc_unknown'
  yield* link(user.id, claims, visit)
  return yield* replaceSession(user.id, visit)
}

function* newcomer(
  email: string,
  name: string | undefined,
  role: Role | undefined,
  now: number,
): DbWork<UserTable | undefined> {
  // Before the first user has claimed the installation nobody may come in before them: the link would be gone.
  if (role === undefined || !(yield* hasUsers())) return undefined
  const org = yield* firstOrganization()
  const called = truncate(oneLine(name ?? ''), 120)
  const made = yield* createUser(
    { email, passwordHash: null, emailVerifiedAt: now, ...(called && { name: called }) },
    now,
  )
  if (org === undefined || made === undefined) return yield* userWithEmail(email)
  yield* addMember(org.id, made.id, role, now)
  yield* recordJoin(org.id, made, 'signUpWithOidc', now)
  return made
}

function* link(userId: string, { issuer, subject }: Claims, { requestId, now }: Visit): DbWork<void> {
  const user = yield* userForUpdate(userId)
  if (user === undefined || !(yield* saveIdentity({ issuer, subject, user_id: userId, linked_at: now }))) return
  if (user.email_verified_at === null) {
    // Whoever made this account never showed that the address is theirs, and may be waiting for its owner to use it.
    yield* dropPassword(userId, now)
    yield* dropFactors(userId)
    yield* endSessionsOf(userId)
    yield* saveEmailVerified(userId, now)
  }
  yield* recordUserChange(user, 'linkIdentity', requestId, now)
}
