import { isoTimestamp } from '../../lib/timestamp.ts'
import type { MemberTable, UserTable } from '../../storage/schema/accounts.ts'

type MemberRow = Omit<MemberTable, 'org_id'> & Pick<UserTable, 'email' | 'name'>

export function renderMember({ user_id: userId, email, name, role, joined_at: joinedAt }: MemberRow) {
  return { userId, email, name, role, joinedAt: isoTimestamp(joinedAt) }
}
