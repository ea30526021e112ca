import { type Role, roles } from '../storage/schema-accounts.ts'

/** Who may do something in the dashboard: anyone, whoever is signed in, or members from a role upwards. */
export type Who = 'ANYONE' | 'USER' | Role

/** Every operation that only the dashboard has, and who may do it. There is no other place that says so. */
export const permissions = {
  about: 'ANYONE',
  setUp: 'ANYONE',
  signIn: 'ANYONE',
  signOut: 'ANYONE',
  requestPasswordReset: 'ANYONE',
  resetPassword: 'ANYONE',
  signUp: 'ANYONE',
  confirmSignUp: 'ANYONE',
  getInvitation: 'ANYONE',
  acceptInvitation: 'ANYONE',

  getMe: 'USER',
  updateMe: 'USER',
  changePassword: 'USER',
  listSessions: 'USER',
  endSession: 'USER',
  endOtherSessions: 'USER',
  createOrganization: 'USER',

  updateOrganization: 'ADMIN',
  listMembers: 'VIEWER',
  updateMember: 'ADMIN',
  removeMember: 'ADMIN',
  leaveOrganization: 'VIEWER',
  listInvitations: 'ADMIN',
  createInvitation: 'ADMIN',
  deleteInvitation: 'ADMIN',

  listKeys: 'ADMIN',
  createKey: 'ADMIN',
  revokeKey: 'ADMIN',
  disableKey: 'ADMIN',
  enableKey: 'ADMIN',
  replaceKey: 'ADMIN',

  listContacts: 'VIEWER',
  listContactChannels: 'VIEWER',
  createContact: 'MEMBER',
  deleteContact: 'MEMBER',
  enableContact: 'MEMBER',
  disableContact: 'MEMBER',
  testContact: 'MEMBER',
  listMonitorContacts: 'VIEWER',
  attachContact: 'MEMBER',
  detachContact: 'MEMBER',

  getUsage: 'VIEWER',
  listSummaries: 'VIEWER',
  getUptime: 'VIEWER',
  getSeries: 'VIEWER',
  listResults: 'VIEWER',
  listHeartbeats: 'VIEWER',
  tryMonitor: 'MEMBER',
  listAuditLog: 'ADMIN',
} as const satisfies Record<string, Who>

export type AppOperationId = keyof typeof permissions

/** The operations of the public API, in a session. */
export const roleFor = { read: 'VIEWER', write: 'MEMBER' } as const satisfies Record<'read' | 'write', Role>

export function isAtLeast(role: Role, least: Role): boolean {
  return roles.indexOf(role) <= roles.indexOf(least)
}
