import { type Role, rolesAscending, useOrganization } from '../../api/organization.tsx'
import { t } from '../../lib/i18n.ts'

interface RoleText {
  readonly name: string
  /** "… invites you, as an admin" */
  readonly as: string
  readonly may: string
}

/** Descriptions of roles; the server enforces the permissions. */
export const roleDescriptions: Readonly<Record<Role, RoleText>> = {
  OWNER: { name: t('Owner'), as: t('as an owner'), may: t('Owners have full access and can add other owners.') },
  ADMIN: {
    name: t('Admin'),
    as: t('as an admin'),
    may: t('Admins also manage members, API keys and the organization.'),
  },
  MEMBER: {
    name: t('Member'),
    as: t('as a member'),
    may: t('Members manage monitors, incidents, status pages, webhooks and alert contacts.'),
  },
  VIEWER: { name: t('Viewer'), as: t('as a viewer'), may: t('Viewers have read-only access.') },
}

/** The roles that the user may give: only owners make owners. */
export function useRoleChoices() {
  const { may } = useOrganization()
  const roles = rolesAscending.filter((one) => one !== 'OWNER' || may('OWNER'))
  return roles.map((value) => ({ value, label: roleDescriptions[value].name }))
}
