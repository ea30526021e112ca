import { appOperation } from '../../contract/app-operation.ts'
import { notFound } from '../../contract/errors.ts'
import { body, resource } from '../../contract/schema.ts'
import { membersForUpdate, membersOf, saveRole } from './queries.ts'
import { renderMember } from './render.ts'
import { revokeInvitations, revokerOf } from './revoke.ts'
import { requireAnotherOwner, requireMember, requireOwnerForOwnerRole } from './rules.ts'
import { Member, MemberParams, RevokedInvitations, RoleName } from './schema.ts'

export const updateMember = appOperation('updateMember', {
  method: 'PATCH',
  path: '/members/:userId',
  tag: 'Members',
  summary: "Change a member's role",
  description:
    "Applies from the member's next request. Invitations that the member created and may no longer create are " +
    'revoked. Only owners can add or change owners, and the last owner cannot be removed.',
  params: MemberParams,
  body: body('UpdateMember', { role: RoleName }),
  answer: {
    status: 200,
    schema: resource('UpdatedMember', { ...Member.properties, revokedInvitations: RevokedInvitations }),
    description: 'The updated member',
  },
  errors: ['not_found', 'conflict'],
  *handle(context, { params: { userId }, body: { role } }) {
    const { orgId, role: by } = context.caller
    const members = yield* membersForUpdate(orgId)
    requireOwnerForOwnerRole(by, requireMember(members, userId), role)
    if (role !== 'OWNER') requireAnotherOwner(members, userId)
    yield* saveRole(orgId, userId, role)
    const revokedInvitations = yield* revokeInvitations(orgId, userId, role, revokerOf(context))
    const member = (yield* membersOf(orgId)).find(({ user_id: id }) => id === userId)
    if (member === undefined) throw notFound('member')
    return { ...renderMember(member), revokedInvitations }
  },
})
