import { addPasskey, startPasskey } from '../../accounts/factors/add-passkey.ts'
import { confirmTotp, startTotp } from '../../accounts/factors/add-totp.ts'
import { deletePasskey } from '../../accounts/factors/delete-passkey.ts'
import { removeTotp } from '../../accounts/factors/remove-totp.ts'
import { renamePasskey } from '../../accounts/factors/rename-passkey.ts'
import { renewRecoveryCodes } from '../../accounts/factors/renew-recovery-codes.ts'
import { getSecurity } from '../../accounts/factors/security.ts'
import { createKey } from '../../accounts/keys/create.ts'
import { disableKey, enableKey } from '../../accounts/keys/enable.ts'
import { listKeys, listOwnKeys } from '../../accounts/keys/list.ts'
import { replaceKey } from '../../accounts/keys/replace.ts'
import { revokeKey } from '../../accounts/keys/revoke.ts'
import { acceptInvitation, getInvitation } from '../../accounts/members/accept.ts'
import { deleteInvitation } from '../../accounts/members/delete-invitation.ts'
import { createInvitation } from '../../accounts/members/invite.ts'
import { listMembers } from '../../accounts/members/list.ts'
import { listInvitations } from '../../accounts/members/list-invitations.ts'
import { listMemberKeys } from '../../accounts/members/list-keys.ts'
import { createOrganization, updateOrganization } from '../../accounts/members/own-organizations.ts'
import { leaveOrganization, removeMember } from '../../accounts/members/remove.ts'
import { getMailSettings, sendTestMail } from '../../accounts/members/test-mail.ts'
import { updateMember } from '../../accounts/members/update.ts'
import { endOtherSessions, endSession } from '../../accounts/sessions/end.ts'
import { listSessions } from '../../accounts/sessions/list.ts'
import { signOut } from '../../accounts/sessions/sign-out.ts'
import { about } from '../../accounts/sign-in/about.ts'
import { changePassword } from '../../accounts/sign-in/change-password.ts'
import { confirmEmail, requestEmailConfirmation } from '../../accounts/sign-in/confirm-email.ts'
import { getMe, updateMe } from '../../accounts/sign-in/me.ts'
import { requestPasswordReset, resetPassword } from '../../accounts/sign-in/reset-password.ts'
import { setUp } from '../../accounts/sign-in/set-up.ts'
import { confirmSignUp, signUp } from '../../accounts/sign-in/sign-up.ts'
import { signInWithRecoveryCode, signInWithTotp } from '../../accounts/sign-in/with-code.ts'
import { signInWithPasskey, startPasskeySignIn } from '../../accounts/sign-in/with-passkey.ts'
import { signIn } from '../../accounts/sign-in/with-password.ts'
import type { AppOperation } from '../../contract/app-operation.ts'
import { dismissSetupChecklist } from '../../monitoring/setup-checklist/dismiss.ts'
import { getSetupChecklist } from '../../monitoring/setup-checklist/get.ts'

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
  requestEmailConfirmation,
  confirmEmail,
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
  getMailSettings,
  sendTestMail,
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
  getSetupChecklist,
  dismissSetupChecklist,
]
