import { getSeries, getUptime, listHeartbeats, listResults, listSummaries } from '../checks/insight.ts'
import { tryMonitor } from '../checks/try.ts'
import {
  createContact,
  deleteContact,
  disableContact,
  enableContact,
  listContactChannels,
  listContacts,
} from '../contacts/manage.ts'
import { attachContact, detachContact, listMonitorContacts, testContact } from '../contacts/tend.ts'
import type { AppOperation } from '../contract/app-operation.ts'
import { createKey, disableKey, enableKey, listKeys, replaceKey, revokeKey } from '../keys/manage.ts'
import { acceptInvitation, getInvitation } from '../members/accept.ts'
import { createInvitation, deleteInvitation, listInvitations } from '../members/invite.ts'
import { leaveOrganization, listMembers, removeMember, updateMember } from '../members/manage.ts'
import { createOrganization, updateOrganization } from '../members/organization.ts'
import { listAuditLog } from '../organizations/audit-log.ts'
import { getUsage } from '../organizations/usage.ts'
import { changePassword } from '../sessions/change-password.ts'
import { endOtherSessions, endSession, listSessions } from '../sessions/manage.ts'
import { getMe, updateMe } from '../sessions/me.ts'
import { signIn } from '../sessions/sign-in.ts'
import { signOut } from '../sessions/sign-out.ts'
import { about } from '../users/about.ts'
import { requestPasswordReset, resetPassword } from '../users/reset-password.ts'
import { setUp } from '../users/set-up.ts'
import { confirmSignUp, signUp } from '../users/sign-up.ts'

/** Every operation that only the dashboard has. Who may do what stands in contract/permissions.ts. */
export const appOperations: readonly AppOperation[] = [
  about,
  setUp,
  signIn,
  signOut,
  requestPasswordReset,
  resetPassword,
  signUp,
  confirmSignUp,
  getInvitation,
  acceptInvitation,
  getMe,
  updateMe,
  changePassword,
  listSessions,
  endSession,
  endOtherSessions,
  createOrganization,
  updateOrganization,
  listMembers,
  updateMember,
  removeMember,
  leaveOrganization,
  listInvitations,
  createInvitation,
  deleteInvitation,
  listKeys,
  createKey,
  revokeKey,
  disableKey,
  enableKey,
  replaceKey,
  listContacts,
  listContactChannels,
  createContact,
  deleteContact,
  enableContact,
  disableContact,
  testContact,
  listMonitorContacts,
  attachContact,
  detachContact,
  getUsage,
  listSummaries,
  getUptime,
  getSeries,
  listResults,
  listHeartbeats,
  tryMonitor,
  listAuditLog,
]
