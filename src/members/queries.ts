import type { UserCaller } from '../storage/database.ts'
import { all, first, keepable, q, run, statement, type Work } from '../storage/query.ts'
import type { MemberTable, Role } from '../storage/schema-accounts.ts'

const insert = statement((m: MemberTable) =>
  q
    .insertInto('members')
    .values({ org_id: m.org_id, user_id: m.user_id, role: m.role, joined_at: m.joined_at })
    .onConflict((conflict) => conflict.columns(['org_id', 'user_id']).doNothing()),
)

/** False where the user belongs to it already. */
export function* addMember(orgId: string, userId: string, role: Role, now: number): Work<boolean> {
  return (yield* run(insert, { org_id: orgId, user_id: userId, role, joined_at: now })) === 1
}

const memberships = () => q.selectFrom('members as m').innerJoin('organizations as o', 'o.id', 'm.org_id')

const ofUser = keepable(({ userId }: { userId: string }) =>
  memberships()
    .select(['o.id', 'o.slug', 'o.name', 'o.plan', 'o.subscription', 'm.role', 'm.joined_at'])
    .where('m.user_id', '=', userId)
    .orderBy('m.org_id'),
)

/** The organizations that a user belongs to, the oldest first. */
export function* membershipsOf(userId: string) {
  return yield* all(ofUser, { userId })
}

const standing = keepable(({ userId, named }: { userId: string; named: string }) =>
  memberships()
    .select(['o.id as orgId', 'o.slug as orgSlug', 'o.plan', 'o.subscription', 'm.role'])
    .where('m.user_id', '=', userId)
    .where((is) => is.or([is('o.id', '=', named), is('o.slug', '=', named)])),
)

/** A user as a member of the organization with this id or slug; undefined where there is none that it belongs to. */
export function* callerIn(user: { userId: string; name: string }, named: string): Work<UserCaller | undefined> {
  const { userId, name: userName } = user
  const found = yield* first(standing, { userId, named })
  return found && { ...found, userId, userName }
}
