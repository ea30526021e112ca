import { recordAuditEntry } from '../../events/audit.ts'
import type { UserCaller } from '../../storage/database.ts'
import { all, cacheable, type DbWork, execute, first, notifyWatchers, q } from '../../storage/query.ts'
import type { Role } from '../../storage/schema/accounts.ts'
import type { OrganizationTable } from '../../storage/schema/organizations.ts'

/** Records that a user joined by a link, with the user as the actor. */
export function* recordJoin(
  orgId: string,
  user: { id: string; name: string },
  action: string,
  now: number,
): DbWork<void> {
  // Updates the list of members, and the list of invitations, one of which may be used up.
  yield* notifyWatchers({ orgId, kind: 'member', id: user.id })
  yield* notifyWatchers({ orgId, kind: 'invitation', id: null })
  yield* recordAuditEntry({ orgId, ...entryOf(user, action), requestId: null, now })
}

/** Records that a user changed how they sign in, in the audit log of each of their organizations. */
export function* recordUserChange(
  user: { id: string; name: string },
  action: string,
  requestId: string | null,
  now: number,
): DbWork<void> {
  for (const { id: orgId } of yield* membershipsOf(user.id)) {
    yield* recordAuditEntry({ orgId, ...entryOf(user, action), requestId, now })
  }
}

/** The user is both the actor and the target. */
function entryOf({ id, name }: { id: string; name: string }, action: string) {
  return { action, target: id, targetName: name, actor: { type: 'USER', id, name } as const }
}

/** False if the user is a member already. */
export function* addMember(orgId: string, userId: string, role: Role, now: number): DbWork<boolean> {
  const added = yield* execute(
    q
      .insertInto('members')
      .values({ org_id: orgId, user_id: userId, role, joined_at: now })
      .onConflict((conflict) => conflict.columns(['org_id', 'user_id']).doNothing())
      .returning('user_id'),
  )
  return added.length === 1
}

const memberships = () => q.selectFrom('members as m').innerJoin('organizations as o', 'o.id', 'm.org_id')

const ofUser = cacheable(({ userId }: { userId: string }) =>
  memberships()
    .select(['o.id', 'o.slug', 'o.name', 'o.plan', 'o.subscription', 'o.timezone', 'm.role'])
    .where('m.user_id', '=', userId)
    .orderBy('m.org_id'),
)

export interface MembershipRow extends Omit<OrganizationTable, 'created_at'> {
  readonly role: Role
}

/** A user's organizations, oldest first. */
export function* membershipsOf(userId: string): DbWork<readonly MembershipRow[]> {
  return yield* all(ofUser, { userId })
}

const membership = cacheable(({ userId, idOrSlug }: { userId: string; idOrSlug: string }) =>
  memberships()
    .select(['o.id as orgId', 'o.slug as orgSlug', 'o.plan', 'o.subscription', 'm.role'])
    .where('m.user_id', '=', userId)
    .where((is) => is.or([is('o.id', '=', idOrSlug), is('o.slug', '=', idOrSlug)])),
)

/** The user as a member of the organization with this id or slug; undefined if they are not a member. */
export function* callerIn(user: { userId: string; name: string }, idOrSlug: string): DbWork<UserCaller | undefined> {
  const { userId, name: userName } = user
  const found = yield* first(membership, { userId, idOrSlug })
  return found && { ...found, userId, userName }
}

/** In the order in which they joined. */
export function* membersOf(orgId: string) {
  return yield* execute(
    q
      .selectFrom('members as m')
      .innerJoin('users as u', 'u.id', 'm.user_id')
      .select(['m.user_id', 'm.role', 'm.joined_at', 'u.email', 'u.name'])
      .where('m.org_id', '=', orgId)
      .orderBy('m.joined_at')
      .orderBy('m.user_id'),
  )
}

/** Locks all members until the end of the transaction, so that two owners cannot leave at the same time. */
export function* membersForUpdate(orgId: string): DbWork<ReadonlyMap<string, Role>> {
  const rows = yield* execute(
    q.selectFrom('members').select(['user_id', 'role']).where('org_id', '=', orgId).orderBy('user_id').forUpdate(),
  )
  return new Map(rows.map(({ user_id: userId, role }) => [userId, role]))
}

export function* saveRole(orgId: string, userId: string, role: Role): DbWork<void> {
  yield* execute(q.updateTable('members').set({ role }).where('org_id', '=', orgId).where('user_id', '=', userId))
}

export function* dropMember(orgId: string, userId: string): DbWork<void> {
  yield* execute(q.deleteFrom('members').where('org_id', '=', orgId).where('user_id', '=', userId))
}
