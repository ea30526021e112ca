import Type from 'typebox'
import { appOperation } from '../../contract/app-operation.ts'
import { notFound } from '../../contract/errors.ts'
import { body, Deleted, resource } from '../../contract/schema.ts'
import { isoTimestamp } from '../../lib/timestamp.ts'
import type { DbWork } from '../../storage/query.ts'
import type { Role } from '../../storage/schema/accounts.ts'
import { dropMember, membersForUpdate, membersOf, saveRole } from './queries.ts'
import { requireAnotherOwner, requireOwnerForOwnerRole } from './rules.ts'
import { Member, MemberParams, RoleName } from './schema.ts'

export const listMembers = appOperation('listMembers', {
  method: 'GET',
  path: '/members',
  access: 'read',
  tag: 'Members',
  summary: 'List the members',
  answer: {
    status: 200,
    schema: resource('MemberList', { data: Type.Array(Member) }),
    description: 'In the order in which they joined',
  },
  *handle({ caller }) {
    return { data: (yield* membersOf(caller.orgId)).map(renderMember) }
  },
})

export const updateMember = appOperation('updateMember', {
  method: 'PATCH',
  path: '/members/:userId',
  access: 'write',
  tag: 'Members',
  summary: "Change a member's role",
  description: 'It holds from their next request on. Only owners make or change owners, and the last one stays.',
  params: MemberParams,
  body: body('UpdateMember', { role: RoleName }),
  answer: { status: 200, schema: Member, description: 'The member as it is now' },
  errors: ['not_found', 'conflict'],
  *handle({ caller: { orgId, role: by } }, { params: { userId }, body: { role } }) {
    const members = yield* membersForUpdate(orgId)
    requireOwnerForOwnerRole(by, requireMember(members, userId), role)
    if (role !== 'OWNER') requireAnotherOwner(members, userId)
    yield* saveRole(orgId, userId, role)
    const member = (yield* membersOf(orgId)).find(({ user_id: id }) => id === userId)
    if (member === undefined) throw notFound('member')
    return renderMember(member)
  },
})

export const removeMember = appOperation('removeMember', {
  method: 'DELETE',
  path: '/members/:userId',
  access: 'write',
  tag: 'Members',
  summary: 'Remove a member',
  description: 'Their next request for this organization is refused; the user stays.',
  params: MemberParams,
  answer: { status: 200, schema: Deleted, description: 'Removed' },
  errors: ['not_found', 'conflict'],
  *handle({ caller: { orgId, role: by } }, { params: { userId } }) {
    const members = yield* membersForUpdate(orgId)
    requireOwnerForOwnerRole(by, requireMember(members, userId))
    return yield* removeFrom(orgId, members, userId)
  },
})

export const leaveOrganization = appOperation('leaveOrganization', {
  method: 'POST',
  path: '/members/leave',
  access: 'write',
  tag: 'Members',
  summary: 'Leave the organization',
  answer: { status: 200, schema: Deleted, description: 'You belong to it no longer' },
  errors: ['conflict'],
  *handle({ caller: { orgId, userId } }) {
    return yield* removeFrom(orgId, yield* membersForUpdate(orgId), userId)
  },
})

function* removeFrom(
  orgId: string,
  members: ReadonlyMap<string, Role>,
  userId: string,
): DbWork<{ data: { id: string } }> {
  requireAnotherOwner(members, userId)
  yield* dropMember(orgId, userId)
  return { data: { id: userId } }
}

function requireMember(members: ReadonlyMap<string, Role>, userId: string): Role {
  const role = members.get(userId)
  if (role === undefined) throw notFound('member')
  return role
}

interface MemberRow {
  readonly user_id: string
  readonly email: string
  readonly name: string
  readonly role: Role
  readonly joined_at: number
}

function renderMember({ user_id: userId, email, name, role, joined_at: joinedAt }: MemberRow) {
  return { userId, email, name, role, joinedAt: isoTimestamp(joinedAt) }
}
