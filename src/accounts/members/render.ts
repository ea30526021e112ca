import { isoTimestamp } from '../../lib/timestamp.ts'
import type { InvitationTable, MemberTable, UserTable } from '../../storage/schema/accounts.ts'

type MemberRow = Omit<MemberTable, 'org_id'> & Pick<UserTable, 'email' | 'name'>

export function renderMember({ user_id: userId, email, name, role, joined_at: joinedAt }: MemberRow) {
  return { userId, email, name, role, joinedAt: isoTimestamp(joinedAt) }
}

export function renderInvitation(invitation: Omit<InvitationTable, 'hash'>) {
  return {
    id: invitation.id,
    email: invitation.email,
    role: invitation.role,
    invitedBy: invitation.invited_by,
    inviterId: invitation.created_by,
    createdAt: isoTimestamp(invitation.created_at),
    expiresAt: isoTimestamp(invitation.expires_at),
  }
}
