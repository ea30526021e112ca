import type { Role } from '../../api/organization.tsx'

interface InWords {
  readonly name: string
  /** "… invites you, as an admin" */
  readonly as: string
  readonly may: string
}

/** Descriptions of roles; the server enforces the permissions. */
export const roleDescriptions: Readonly<Record<Role, InWords>> = {
  OWNER: { name: 'Owner', as: 'as an owner', may: 'Owners have full access and can add other owners.' },
  ADMIN: { name: 'Admin', as: 'as an admin', may: 'Admins also manage members, API keys and the organization.' },
  MEMBER: {
    name: 'Member',
    as: 'as a member',
    may: 'Members manage monitors, incidents, status pages, webhooks and alert contacts.',
  },
  VIEWER: { name: 'Viewer', as: 'as a viewer', may: 'Viewers have read-only access.' },
}

export const rolesAscending: readonly Role[] = ['VIEWER', 'MEMBER', 'ADMIN', 'OWNER']
