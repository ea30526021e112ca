import type { AppSchemas } from '../../api/client.ts'
import { useGet } from '../../api/get.ts'
import { type Role, useOrganization } from '../../api/organization.tsx'
import { t } from '../../lib/i18n.ts'
import { roleDescriptions } from '../accounts/roles.ts'
import { Tag } from './rows.tsx'

type Invitation = AppSchemas['Invitation']

/**
 * Finds the pending invitations that are revoked when a member gets the role `role`, or goes (null). Undefined while they
 * are loading.
 */
export function useLostInvitations(userId: string): ((role: Role | null) => readonly Invitation[]) | undefined {
  const { may } = useOrganization()
  const isAdmin = may('ADMIN')
  const { data } = useGet('invitation', '/app/api/invitations', { enabled: isAdmin })
  // Others have created none, or have lost them.
  const pending = isAdmin ? data?.data : []
  if (pending === undefined) return undefined
  return (role) => pending.filter((one) => one.inviterId === userId && !mayInvite(role, one.role))
}

/** The server decides by the same rule. */
function mayInvite(by: Role | null, role: Role): boolean {
  return by === 'OWNER' || (by === 'ADMIN' && role !== 'OWNER')
}

export function LostInvitations({ invitations }: { invitations: readonly Invitation[] }) {
  if (invitations.length === 0) return null
  return (
    <div>
      <p>{t('These pending invitations are revoked:')}</p>
      <ul class="ms-5 list-disc">
        {invitations.map(({ id, email, role }) => (
          <li key={id}>
            {email ?? t('Anyone with the link')} <Tag>{roleDescriptions[role].name}</Tag>
          </li>
        ))}
      </ul>
    </div>
  )
}
