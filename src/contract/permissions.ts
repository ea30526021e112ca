import type { Caller } from '../storage/database.ts'
import { type Role, roles } from '../storage/schema/accounts.ts'
import type { Operation } from './operation.ts'

/** Required for a dashboard operation: nothing, a session, or at least this role. */
export type Permission = 'ANYONE' | 'USER' | Role

/** The permission of every operation that only the dashboard has. */
export const permissions = {
  about: 'ANYONE',
  setUp: 'ANYONE',
  signIn: 'ANYONE',
  signInWithTotp: 'ANYONE',
  signInWithRecoveryCode: 'ANYONE',
  startPasskeySignIn: 'ANYONE',
  signInWithPasskey: 'ANYONE',
  signOut: 'ANYONE',
  requestPasswordReset: 'ANYONE',
  resetPassword: 'ANYONE',
  signUp: 'ANYONE',
  confirmSignUp: 'ANYONE',
  getInvitation: 'ANYONE',
  acceptInvitation: 'ANYONE',

  getMe: 'USER',
  updateMe: 'USER',
  requestEmailConfirmation: 'USER',
  confirmEmail: 'USER',
  changePassword: 'USER',
  getSecurity: 'USER',
  startTotp: 'USER',
  confirmTotp: 'USER',
  removeTotp: 'USER',
  renewRecoveryCodes: 'USER',
  startPasskey: 'USER',
  addPasskey: 'USER',
  renamePasskey: 'USER',
  deletePasskey: 'USER',
  listSessions: 'USER',
  endSession: 'USER',
  endOtherSessions: 'USER',
  createOrganization: 'USER',

  updateOrganization: 'ADMIN',
  getMailSettings: 'ADMIN',
  sendTestMail: 'ADMIN',
  listMembers: 'VIEWER',
  updateMember: 'ADMIN',
  listMemberKeys: 'ADMIN',
  removeMember: 'ADMIN',
  leaveOrganization: 'VIEWER',
  listInvitations: 'ADMIN',
  createInvitation: 'ADMIN',
  deleteInvitation: 'ADMIN',

  listKeys: 'ADMIN',
  listOwnKeys: 'VIEWER',
  createKey: 'ADMIN',
  revokeKey: 'ADMIN',
  disableKey: 'ADMIN',
  enableKey: 'ADMIN',
  replaceKey: 'ADMIN',

  getSetupChecklist: 'VIEWER',
  dismissSetupChecklist: 'MEMBER',
} as const satisfies Record<string, Permission>

export type AppOperationId = keyof typeof permissions

/** The role required for operations of the public API in a session. */
const roleFor = { read: 'VIEWER', write: 'MEMBER' } as const satisfies Record<'read' | 'write', Role>

export function roleOf({ access, role = roleFor[access] }: Pick<Operation, 'access' | 'role'>): Role {
  return role
}

/** Secrets of monitors are shown to callers that may edit monitors. */
export function maySeeSecrets(caller: Caller): boolean {
  return 'keyId' in caller ? caller.access === 'full' : isAtLeast(caller.role, roleFor.write)
}

/** The URL on which a job reports. Every API key sees it, as the contract says; anybody who sees it can report for the job. */
export function maySeeHeartbeatUrl(caller: Caller): boolean {
  return 'keyId' in caller || maySeeSecrets(caller)
}

export function isAtLeast(role: Role, least: Role): boolean {
  return roles.indexOf(role) <= roles.indexOf(least)
}
