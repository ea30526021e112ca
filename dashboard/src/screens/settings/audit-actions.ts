import { t } from '../../lib/i18n.ts'

/** Stays in the text; see describeEntry. */
const target = { target: '{target}' }

const created = t('created {target}', target)
const changed = t('changed {target}', target)
const deleted = t('deleted {target}', target)
const removed = t('removed {target}', target)
const enabled = t('enabled {target}', target)
const disabled = t('disabled {target}', target)
const revoked = t('revoked {target}', target)
const tested = t('tested {target}', target)
const retried = t('retried {target}', target)
const changedAssertions = t('changed the assertions of {target}', target)
const changedConfirmation = t('changed the confirmation of failures of {target}', target)
const changedDialogue = t('changed the dialogue of {target}', target)
const changedLegacyAddress = t('changed the old address of {target}', target)
const changedNotes = t('changed the notes of {target}', target)
const changedRequest = t('changed the request options of {target}', target)
const changedSchedule = t('changed the schedule of {target}', target)

/** What each operation did: "Ada paused Old blog". */
export const auditActions: Readonly<Record<string, string>> = {
  createMonitor: created,
  updateMonitor: changed,
  deleteMonitor: deleted,
  pauseMonitor: t('paused {target}', target),
  resumeMonitor: t('resumed {target}', target),
  checkMonitor: t('checked {target}', target),
  acknowledgeIncident: t('acknowledged {target}', target),
  createStatusPage: created,
  updateStatusPage: changed,
  deleteStatusPage: deleted,
  createMaintenanceWindow: created,
  updateMaintenanceWindow: changed,
  deleteMaintenanceWindow: deleted,
  createPublishedIncident: t('published {target}', target),
  updatePublishedIncident: changed,
  deletePublishedIncident: deleted,
  createWebhookEndpoint: created,
  updateWebhookEndpoint: changed,
  deleteWebhookEndpoint: deleted,
  testWebhookEndpoint: tested,
  retryWebhookDelivery: retried,
  updateMe: t('changed their account'),
  confirmEmail: t('confirmed their e-mail address'),
  reclaimAccount: t('reset an account with an unconfirmed address'),
  updateMember: t('changed the role of {target}', target),
  removeMember: removed,
  createKey: created,
  revokeKey: revoked,
  disableKey: disabled,
  enableKey: enabled,
  replaceKey: t('replaced {target}', target),
  createContact: created,
  updateContact: changed,
  deleteContact: deleted,
  enableContact: enabled,
  disableContact: disabled,
  testContact: tested,
  deleteSubscriber: removed,
  setUp: t('set up Pharos'),
  signUp: t('signed up'),
  acceptInvitation: t('accepted an invitation'),
  leaveOrganization: t('left the organization'),
  createOrganization: t('created the organization'),
  updateOrganization: t('changed the organization'),
  rotateWebhookSecret: t('rotated the secret of {target}', target),
  rotateHeartbeatToken: t('replaced the heartbeat URL of {target}', target),
  signUpWithOidc: t('joined with single sign-on'),
  linkIdentity: t('linked a single sign-on account'),
  confirmTotp: t('turned on two-factor authentication'),
  removeTotp: t('turned off two-factor authentication'),
  renewRecoveryCodes: t('created new recovery codes'),
  addPasskey: t('added a passkey'),
  deletePasskey: t('removed a passkey'),
  createInvitation: t('sent {target}', target),
  deleteInvitation: revoked,
  postPublishedIncidentUpdate: t('posted an update on {target}', target),
  muteMonitor: t('muted the alerts of {target}', target),
  unmuteMonitor: t('ended the mute of {target}', target),
  setMonitorLabels: t('changed the labels of {target}', target),
  setMaintenanceWindowSelector: t('changed the selector of {target}', target),
  setStatusPageLogo: t('uploaded the logo of {target}', target),
  setStatusPageSelectors: t('changed the selectors of {target}', target),
  checkDomain: t('checked the custom domain of {target}', target),
  retryFailedDeliveries: t('retried failed deliveries to {target}', target),
  attachContact: t('assigned {target} to a monitor', target),
  detachContact: t('removed {target} from a monitor', target),
  createIncidentNote: t('wrote a note on {target}', target),
  updateIncidentNote: t('changed a note on {target}', target),
  deleteIncidentNote: t('deleted a note on {target}', target),
  resendContactConfirmation: t('resent the confirmation of {target}', target),
  createImport: t('uploaded files of another tool'),
  applyImport: t('imported from another tool'),
  deleteImport: t('closed an import'),
  setMonitorAssertions: changedAssertions,
  removeMonitorAssertions: changedAssertions,
  setMonitorConfirmation: changedConfirmation,
  removeMonitorConfirmation: changedConfirmation,
  setMonitorDialogue: changedDialogue,
  removeMonitorDialogue: changedDialogue,
  setMonitorLegacyAddress: changedLegacyAddress,
  removeMonitorLegacyAddress: changedLegacyAddress,
  setMonitorNotes: changedNotes,
  removeMonitorNotes: changedNotes,
  setMonitorRequest: changedRequest,
  removeMonitorRequest: changedRequest,
  setMonitorSchedule: changedSchedule,
  removeMonitorSchedule: changedSchedule,
  createShadowRun: t('started a shadow run'),
  finishShadowRun: t('ended a shadow run'),
  deleteShadowRun: t('deleted a shadow run'),
  finishImport: t('finished an import'),
  importHistory: t('imported history'),
  sendTestMail: t('sent a test e-mail'),
  changePassword: t('changed their password'),
  renamePasskey: t('renamed a passkey'),
  dismissSetupChecklist: t('hid or restored the setup checklist'),
}
