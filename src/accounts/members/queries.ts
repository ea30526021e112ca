import { recordAuditEntry } from '../../events/audit.ts'
import type { UserCaller } from '../../storage/database.ts'
import { all, cacheable, type DbWork, first, notifyWatchers, q, run, statement } from '../../storage/query.ts'
import type { OrganizationTable } from '../../storage/schema.ts'
import type { MemberTable, Role } from '../../storage/schema-accounts.ts'

const insert = statement((m: MemberTable) =>
  q
    .insertInto('members')
    .values({ org_id: m.org_id, user_id: m.user_id, role: m.role, joined_at: m.joined_at })
    .onConflict((conflict) => conflict.columns(['org_id', 'user_id']).doNothing()),
)

/** Somebody came in by a link: recorded in their own name. */
export function* recordJoin(
  orgId: string,
  user: { id: string; name: string },
  action: string,
  now: number,
): DbWork<void> {
  // Whoever looks at the members sees it happen, and that an invitation is used.
  yield* notifyWatchers({ orgId, kind: 'member', id: user.id })
  yield* notifyWatchers({ orgId, kind: 'invitation', id: null })
  yield* recordAuditEntry({
    ...{ orgId, action, target: user.id, targetName: user.name, fields: [], requestId: null, now },
    actor: { actor_type: 'USER', actor_id: user.id, actor_name: user.name },
  })
}

/** Somebody changed how they come in: told to all who may look at what members do. */
export function* recordUserChange(
  user: { id: string; name: string },
  action: string,
  requestId: string | null,
  now: number,
): DbWork<void> {
  for (const { id: orgId } of yield* membershipsOf(user.id)) {
    yield* recordAuditEntry({
      ...{ orgId, action, target: user.id, targetName: user.name, fields: [], requestId, now },
      actor: { actor_type: 'USER', actor_id: user.id, actor_name: user.name },
    })
  }
}

/** False where the user belongs to it already. */
export function* addMember(orgId: string, userId: string, role: Role, now: number): DbWork<boolean> {
  return (yield* run(insert, { org_id: orgId, user_id: userId, role, joined_at: now })) === 1
}

const memberships = () => q.selectFrom('members as m').innerJoin('organizations as o', 'o.id', 'm.org_id')

const ofUser = cacheable(({ userId }: { userId: string }) =>
  memberships()
    .select(['o.id', 'o.slug', 'o.name', 'o.plan', 'o.subscription', 'm.role'])
    .where('m.user_id', '=', userId)
    .orderBy('m.org_id'),
)

export interface MembershipRow extends Omit<OrganizationTable, 'created_at'> {
  readonly role: Role
}

/** The organizations that a user belongs to, the oldest first. */
export function* membershipsOf(userId: string): DbWork<readonly MembershipRow[]> {
  return yield* all(ofUser, { userId })
}

const standing = cacheable(({ userId, named }: { userId: string; named: string }) =>
  memberships()
    .select(['o.id as orgId', 'o.slug as orgSlug', 'o.plan', 'o.subscription', 'm.role'])
    .where('m.user_id', '=', userId)
    .where((is) => is.or([is('o.id', '=', named), is('o.slug', '=', named)])),
)

/** A user as a member of the organization with this id or slug; undefined where there is none that it belongs to. */
export function* callerIn(user: { userId: string; name: string }, named: string): DbWork<UserCaller | undefined> {
  const { userId, name: userName } = user
  const found = yield* first(standing, { userId, named })
  return found && { ...found, userId, userName }
}

const inOrganization = statement(({ orgId }: { orgId: string }) =>
  q
    .selectFrom('members as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select(['m.user_id', 'm.role', 'm.joined_at', 'u.email', 'u.name'])
    .where('m.org_id', '=', orgId)
    .orderBy('m.joined_at')
    .orderBy('m.user_id'),
)

/** The members of an organization, in the order in which they joined. */
export function* membersOf(orgId: string) {
  return yield* all(inOrganization, { orgId })
}

const held = statement(({ orgId }: { orgId: string }) =>
  q.selectFrom('members').select(['user_id', 'role']).where('org_id', '=', orgId).orderBy('user_id').forUpdate(),
)

/** Who belongs to it, held until the end of the transaction: of two owners who leave at once, one stays. */
export function* membersForUpdate(orgId: string): DbWork<ReadonlyMap<string, Role>> {
  return new Map((yield* all(held, { orgId })).map(({ user_id: userId, role }) => [userId, role]))
}

const setRole = statement(({ orgId, userId, role }: { orgId: string; userId: string; role: Role }) =>
  q.updateTable('members').set({ role }).where('org_id', '=', orgId).where('user_id', '=', userId),
)

export function* saveRole(orgId: string, userId: string, role: Role): DbWork<void> {
  yield* run(setRole, { orgId, userId, role })
}

const drop = statement(({ orgId, userId }: { orgId: string; userId: string }) =>
  q.deleteFrom('members').where('org_id', '=', orgId).where('user_id', '=', userId),
)

export function* dropMember(orgId: string, userId: string): DbWork<void> {
  yield* run(drop, { orgId, userId })
}
