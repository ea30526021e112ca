import type { PublicSchemas } from '../../api/client.ts'
import { t } from '../../lib/i18n.ts'

type Entry = PublicSchemas['AuditEntry']

/** What each operation did: "Ada paused a monitor". */
const actions: Readonly<Record<string, string>> = {
  createMonitor: t('created a monitor'),
  updateMonitor: t('changed a monitor'),
  deleteMonitor: t('deleted a monitor'),
  pauseMonitor: t('paused a monitor'),
  resumeMonitor: t('resumed a monitor'),
  checkMonitor: t('checked a monitor'),
  acknowledgeIncident: t('acknowledged an incident'),
  createStatusPage: t('created a status page'),
  updateStatusPage: t('changed a status page'),
  deleteStatusPage: t('deleted a status page'),
  createMaintenanceWindow: t('created a maintenance window'),
  updateMaintenanceWindow: t('changed a maintenance window'),
  deleteMaintenanceWindow: t('deleted a maintenance window'),
  createPublishedIncident: t('published an incident'),
  updatePublishedIncident: t('changed a published incident'),
  deletePublishedIncident: t('deleted a published incident'),
  createWebhookEndpoint: t('created a webhook endpoint'),
  updateWebhookEndpoint: t('changed a webhook endpoint'),
  deleteWebhookEndpoint: t('deleted a webhook endpoint'),
  testWebhookEndpoint: t('tested a webhook endpoint'),
  retryWebhookDelivery: t('retried a webhook delivery'),
  updateMe: t('changed their account'),
  confirmEmail: t('confirmed their e-mail address'),
  reclaimAccount: t('reset an account with an unconfirmed address'),
  updateMember: t('changed the role of a member'),
  removeMember: t('removed a member'),
  createKey: t('created an API key'),
  revokeKey: t('revoked an API key'),
  disableKey: t('disabled an API key'),
  enableKey: t('enabled an API key'),
  replaceKey: t('replaced an API key'),
  createContact: t('created an alert contact'),
  updateContact: t('changed an alert contact'),
  deleteContact: t('deleted an alert contact'),
  enableContact: t('enabled an alert contact'),
  disableContact: t('disabled an alert contact'),
  testContact: t('tested an alert contact'),
  deleteSubscriber: t('removed a subscriber'),
  setUp: t('set up Pharos'),
  signUp: t('signed up'),
  acceptInvitation: t('accepted an invitation'),
  leaveOrganization: t('left the organization'),
  createOrganization: t('created the organization'),
  updateOrganization: t('changed the organization'),
  rotateWebhookSecret: t('rotated the secret of a webhook endpoint'),
  rotateHeartbeatToken: t('replaced the heartbeat URL of a monitor'),
  signUpWithOidc: t('joined with single sign-on'),
  linkIdentity: t('linked a single sign-on account'),
  confirmTotp: t('turned on two-factor authentication'),
  removeTotp: t('turned off two-factor authentication'),
  renewRecoveryCodes: t('created new recovery codes'),
  addPasskey: t('added a passkey'),
  deletePasskey: t('removed a passkey'),
  createInvitation: t('sent an invitation'),
  deleteInvitation: t('revoked an invitation'),
  postPublishedIncidentUpdate: t('posted an update on a published incident'),
  pauseMonitors: t('paused monitors'),
  resumeMonitors: t('resumed monitors'),
  deleteMonitors: t('deleted monitors'),
  updateMonitors: t('changed monitors'),
  setMonitorLabels: t('changed the labels of a monitor'),
  setMaintenanceWindowSelector: t('changed the selector of a maintenance window'),
  setStatusPageSelectors: t('changed the selectors of a status page'),
  checkDomain: t('checked the custom domain of a status page'),
  retryFailedDeliveries: t('retried failed webhook deliveries'),
  attachContact: t('assigned an alert contact to a monitor'),
  detachContact: t('removed an alert contact from a monitor'),
  createIncidentNote: t('wrote a note on an incident'),
  updateIncidentNote: t('changed a note on an incident'),
  deleteIncidentNote: t('deleted a note on an incident'),
  resendContactConfirmation: t('resent the confirmation of an alert contact'),
  dismissSetupChecklist: t('hid or restored the setup checklist'),
}

/** What an operation or a command did. Operations of other versions are split into words. */
export function describeAction(action: string): string {
  const known = actions[action]
  if (known !== undefined) return known
  // Command names contain spaces.
  if (action.includes(' ')) return t('ran “{action}” for', { action })
  return action.replaceAll(/([A-Z])/g, ' $1').toLowerCase()
}

const screens: Readonly<Record<string, (id: string) => string>> = {
  mon: (id) => `/monitors/${id}`,
  inc: (id) => `/incidents/${id}`,
  sinc: (id) => `/published/${id}`,
  mw: (id) => `/maintenance/${id}`,
  page: (id) => `/status-pages/${id}`,
  we: (id) => `/webhooks/${id}`,
  dlv: (id) => `/webhooks/deliveries/${id}`,
  key: () => '/settings/keys',
  con: () => '/settings/contacts',
  usr: () => '/settings/members',
  inv: () => '/settings/members',
}

/** Name of the changed resource, "View" for one without a name but with a screen; null if it is the actor or has neither. */
export function targetOf(entry: Pick<Entry, 'action' | 'actor' | 'target' | 'targetName'>): string | null {
  if (entry.target !== null && entry.target === entry.actor.id) return null
  return entry.targetName ?? (screenOf(entry) === undefined ? null : t('View'))
}

/** Path of the changed resource; undefined if it was deleted or has no screen. */
export function screenOf({ action, target }: Pick<Entry, 'action' | 'target'>): string | undefined {
  if (target === null || /^delete/.test(action)) return undefined
  return screens[target.slice(0, target.indexOf('_'))]?.(target)
}

export const actorKinds: Readonly<Record<Entry['actor']['type'], string | null>> = {
  USER: null,
  API_KEY: t('API key'),
  COMMAND_LINE: t('Command line'),
}
