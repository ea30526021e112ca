import { listBoard } from '../checks/board.ts'
import { getSeries, getUptime, listHeartbeats, listResults } from '../checks/insight.ts'
import { getOverview } from '../checks/overview.ts'
import { tryMonitor } from '../checks/try.ts'
import {
  createContact,
  deleteContact,
  disableContact,
  enableContact,
  listContactChannels,
  listContacts,
  updateContact,
} from '../contacts/manage.ts'
import { attachContact, detachContact, listMonitorContacts, testContact } from '../contacts/tend.ts'
import type { AppOperation } from '../contract/app-operation.ts'
import { addPasskey, startPasskey } from '../factors/add-passkey.ts'
import { deletePasskey, renamePasskey } from '../factors/passkeys.ts'
import { renewRecoveryCodes } from '../factors/recovery.ts'
import { getSecurity } from '../factors/security.ts'
import { signInWithRecoveryCode, signInWithTotp } from '../factors/sign-in-code.ts'
import { signInWithPasskey, startPasskeySignIn } from '../factors/sign-in-passkey.ts'
import { confirmTotp, removeTotp, startTotp } from '../factors/totp.ts'
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
import { checkDomain } from '../statuspages/check-domain.ts'
import { about } from '../users/about.ts'
import { requestPasswordReset, resetPassword } from '../users/reset-password.ts'
import { setUp } from '../users/set-up.ts'
import { confirmSignUp, signUp } from '../users/sign-up.ts'
import { getDeliveryRequest } from '../webhooks/get-delivery-request.ts'
import { listWebhookEventTypes } from '../webhooks/list-event-types.ts'
import { retryFailedDeliveries } from '../webhooks/retry-failed.ts'

/** Every operation that only the dashboard has. Who may do what stands in contract/permissions.ts. */
export const appOperations: readonly AppOperation[] = [
  about,
  setUp,
  signIn,
  signInWithTotp,
  signInWithRecoveryCode,
  startPasskeySignIn,
  signInWithPasskey,
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
  getSecurity,
  startTotp,
  confirmTotp,
  removeTotp,
  renewRecoveryCodes,
  startPasskey,
  addPasskey,
  renamePasskey,
  deletePasskey,
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
  updateContact,
  deleteContact,
  enableContact,
  disableContact,
  testContact,
  listMonitorContacts,
  attachContact,
  detachContact,
  getUsage,
  getOverview,
  listBoard,
  getUptime,
  getSeries,
  listResults,
  listHeartbeats,
  tryMonitor,
  listAuditLog,
  checkDomain,
  retryFailedDeliveries,
  listWebhookEventTypes,
  getDeliveryRequest,
]
