import { actorOf } from '../../contract/actor.ts'
import type { MemberContext } from '../../contract/app-operation.ts'
import { type AuditEntry, recordAuditEntry } from '../../events/audit.ts'
import { type DbWork, notifyWatchers } from '../../storage/query.ts'
import type { Role } from '../../storage/schema/accounts.ts'
import type { ListedKeyRow } from '../keys/queries.ts'
import { revokeKeyOf } from '../keys/revoke.ts'
import { dropInvitation, invitationsOf } from './invitations.ts'
import { mayInvite } from './rules.ts'

/** Who revokes, for the audit log. */
export type Revoker = Pick<AuditEntry, 'actor' | 'requestId' | 'now'>

export function revokerOf({ caller, requestId, now }: MemberContext): Revoker {
  return { actor: actorOf(caller), requestId, now }
}

/** Returns the ids. */
export function* revokeKeys(orgId: string, keys: readonly ListedKeyRow[], by: Revoker): DbWork<string[]> {
  for (const { id, name } of keys) {
    yield* revokeKeyOf(orgId, id, by.now)
    yield* recordAuditEntry({ orgId, action: 'revokeKey', target: id, targetName: name, ...by })
  }
  return keys.map(({ id }) => id)
}

/**
 * Revokes the invitations that a user created and could not create with the role `role`; undefined: the user is no longer a
 * member. Returns their ids.
 */
export function* revokeInvitations(
  orgId: string,
  userId: string,
  role: Role | undefined,
  by: Revoker,
): DbWork<string[]> {
  const pending = yield* invitationsOf(orgId, by.now)
  const revoked = pending.filter(
    (invitation) => invitation.created_by === userId && (role === undefined || !mayInvite(role, invitation.role)),
  )
  for (const { id, email } of revoked) {
    yield* dropInvitation(orgId, id)
    yield* recordAuditEntry({ orgId, action: 'deleteInvitation', target: id, targetName: email, ...by })
  }
  if (revoked.length > 0) yield* notifyWatchers({ orgId, kind: 'invitation', id: null })
  return revoked.map(({ id }) => id)
}
