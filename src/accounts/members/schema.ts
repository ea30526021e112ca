import Type from 'typebox'
import { nullable, oneOf, resource, Timestamp } from '../../contract/schema.ts'
import { roles } from '../../storage/schema/accounts.ts'

export const RoleName = oneOf(roles, {
  description:
    'OWNER: everything. ADMIN: everything except owners. MEMBER: monitors, status pages, incidents, ' +
    'maintenance, contacts and webhooks. VIEWER: read only.',
})

export const Member = resource('Member', {
  userId: Type.String({ minLength: 1 }),
  email: Type.String(),
  name: Type.String(),
  role: RoleName,
  joinedAt: Timestamp,
})

export const Membership = resource('Membership', {
  id: Type.String({ minLength: 1, description: 'Of the organization' }),
  slug: Type.String(),
  name: Type.String(),
  plan: Type.String(),
  subscription: oneOf(['active', 'inactive']),
  timezone: Type.String({ description: 'The IANA name of the zone of its reports' }),
  role: oneOf(roles),
})

export const Invitation = resource('Invitation', {
  id: Type.String({ minLength: 1 }),
  email: nullable(Type.String(), { description: 'Null for an invitation by link' }),
  role: RoleName,
  invitedBy: Type.String(),
  inviterId: Type.String({ description: 'The user who created it' }),
  createdAt: Timestamp,
  expiresAt: Timestamp,
})

export const RevokedInvitations = Type.Array(Type.String(), {
  description: 'Ids of the invitations that the member created and could not create any more',
})

export const MemberParams = Type.Object({ userId: Type.String() })
