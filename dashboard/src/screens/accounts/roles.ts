import type { Role } from '../../api/organization.tsx'

interface InWords {
  readonly name: string
  /** "… invites you, as an admin" */
  readonly as: string
  readonly may: string
}

/** Descriptions of roles; the server enforces the permissions. */
export const roleDescriptions: Readonly<Record<Role, InWords>> = {
  OWNER: { name: 'Owner', as: 'as an owner', may: 'Owners can do everything, and make other owners.' },
  ADMIN: { name: 'Admin', as: 'as an admin', may: 'Admins also manage members, API keys and the organization.' },
  MEMBER: {
    name: 'Member',
    as: 'as a member',
    may: 'Members manage monitors, incidents, pages, webhooks and contacts.',
  },
  VIEWER: { name: 'Viewer', as: 'as a viewer', may: 'Viewers look at everything and change nothing.' },
}

export const rolesAscending: readonly Role[] = ['VIEWER', 'MEMBER', 'ADMIN', 'OWNER']
