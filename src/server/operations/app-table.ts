import { addPasskey, startPasskey } from '../../accounts/factors/add-passkey.ts'
import { deletePasskey, renamePasskey } from '../../accounts/factors/manage-passkeys.ts'
import { renewRecoveryCodes } from '../../accounts/factors/renew-recovery-codes.ts'
import { getSecurity } from '../../accounts/factors/security.ts'
import { confirmTotp, removeTotp, startTotp } from '../../accounts/factors/totp.ts'
import {
  createKey,
  disableKey,
  enableKey,
  listKeys,
  listOwnKeys,
  replaceKey,
  revokeKey,
} from '../../accounts/keys/manage.ts'
import { acceptInvitation, getInvitation } from '../../accounts/members/accept.ts'
import { createInvitation, deleteInvitation, listInvitations } from '../../accounts/members/invite.ts'
import { listMembers, updateMember } from '../../accounts/members/manage.ts'
import { createOrganization, updateOrganization } from '../../accounts/members/own-organizations.ts'
import { leaveOrganization, listMemberKeys, removeMember } from '../../accounts/members/remove.ts'
import { endOtherSessions, endSession, listSessions } from '../../accounts/sessions/manage.ts'
import { signOut } from '../../accounts/sessions/sign-out.ts'
import { about } from '../../accounts/sign-in/about.ts'
import { changePassword } from '../../accounts/sign-in/change-password.ts'
import { getMe, updateMe } from '../../accounts/sign-in/me.ts'
import { requestPasswordReset, resetPassword } from '../../accounts/sign-in/reset-password.ts'
import { setUp } from '../../accounts/sign-in/set-up.ts'
import { confirmSignUp, signUp } from '../../accounts/sign-in/sign-up.ts'
import { signInWithRecoveryCode, signInWithTotp } from '../../accounts/sign-in/with-code.ts'
import { signInWithPasskey, startPasskeySignIn } from '../../accounts/sign-in/with-passkey.ts'
import { signIn } from '../../accounts/sign-in/with-password.ts'
import type { AppOperation } from '../../contract/app-operation.ts'
import { listIncidentAlerts } from '../../monitoring/incidents/list-alerts.ts'
import {
  createIncidentNote,
  deleteIncidentNote,
  listIncidentNotes,
  updateIncidentNote,
} from '../../monitoring/incidents/notes.ts'
import {
  deleteMonitors,
  pauseMonitors,
  resumeMonitors,
  updateMonitors,
} from '../../monitoring/monitors/change-several.ts'
import { getAlertCoverage } from '../../monitoring/statistics/alert-coverage.ts'
import { getMonitorDetails } from '../../monitoring/statistics/get-details.ts'
import { listBoard } from '../../monitoring/statistics/monitor-list.ts'
import { getOverview } from '../../monitoring/statistics/overview.ts'
import { dismissSetupChecklist, getSetupChecklist } from '../../monitoring/statistics/setup-checklist.ts'
import { getWallBoard } from '../../monitoring/statistics/wall-board.ts'
import { attachContact, detachContact, listMonitorContacts } from '../../notifications/contacts/attach.ts'
import {
  createContact,
  deleteContact,
  disableContact,
  enableContact,
  listContactChannels,
  listContacts,
  updateContact,
} from '../../notifications/contacts/operations.ts'
import { resendContactConfirmation } from '../../notifications/contacts/request-confirmation.ts'
import { testContact } from '../../notifications/contacts/test.ts'
import { listSubscribers } from '../../notifications/subscribers/list.ts'
import { deleteSubscriber } from '../../notifications/subscribers/remove.ts'
import { getDeliveryRequest } from '../../notifications/webhooks/get-delivery-request.ts'
import { retryFailedDeliveries } from '../../notifications/webhooks/retry-failed.ts'
import { checkDomain } from '../../publishing/custom-domains/check.ts'
import { getDomain } from '../../publishing/custom-domains/get.ts'
import { listIncidentPublications } from '../../publishing/published-incidents/list-of-incident.ts'
import { onMonitorDeleted } from './table.ts'

/** Operations that only the dashboard has. Permissions are in contract/permissions.ts. */
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
  listMemberKeys,
  removeMember,
  leaveOrganization,
  listInvitations,
  createInvitation,
  deleteInvitation,
  listKeys,
  listOwnKeys,
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
  resendContactConfirmation,
  listMonitorContacts,
  attachContact,
  detachContact,
  getOverview,
  getWallBoard,
  getAlertCoverage,
  getSetupChecklist,
  dismissSetupChecklist,
  listBoard,
  getMonitorDetails,
  pauseMonitors,
  resumeMonitors,
  deleteMonitors(onMonitorDeleted),
  updateMonitors,
  listIncidentAlerts,
  listIncidentNotes,
  createIncidentNote,
  updateIncidentNote,
  deleteIncidentNote,
  listIncidentPublications,
  getDomain,
  checkDomain,
  listSubscribers,
  deleteSubscriber,
  retryFailedDeliveries,
  getDeliveryRequest,
]
