import { recordAuditEntry } from '../../events/audit.ts'
import { type DbWork, notifyWatchers } from '../../storage/query.ts'
import type { UserTable } from '../../storage/schema/accounts.ts'
import { dropFactors } from '../factors/queries.ts'
import { liveKeysOfCreator } from '../keys/queries.ts'
import { membershipsOf } from '../members/queries.ts'
import { type Revoker, revokeInvitations, revokeKeys } from '../members/revoke.ts'
import { endSessionsOf } from '../sessions/queries.ts'
import { updateUser } from '../users/queries.ts'

/**
 * Gives an account to the owner of its address and confirms the address. If it was not confirmed before, somebody else may have
 * created the account: their factors, sessions, API keys and invitations end. They have no linked identity, because linking
 * confirms the address. The caller replaces the password.
 */
export function* reclaimAccount(user: UserTable, by: Revoker): DbWork<void> {
  if (user.email_verified_at !== null) return
  for (const { id: orgId } of yield* membershipsOf(user.id)) {
    yield* revokeKeys(orgId, yield* liveKeysOfCreator(orgId, user.id, by.now), by)
    yield* revokeInvitations(orgId, user.id, undefined, by)
    yield* notifyWatchers({ orgId, kind: 'key', id: null })
    yield* recordAuditEntry({ orgId, action: 'reclaimAccount', target: user.id, targetName: user.name, ...by })
  }
  // Before the sessions: a sign-in with a passkey that is in progress has then either committed its session or fails.
  yield* dropFactors(user.id)
  yield* endSessionsOf(user.id)
  yield* updateUser(user.id, { email_verified_at: by.now }, by.now)
}

/** The user's own action, without a session. */
export function byUser({ id, name }: UserTable, requestId: string, now: number): Revoker {
  return { actor: { type: 'USER', id, name }, requestId, now }
}
