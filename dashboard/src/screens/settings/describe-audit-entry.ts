import type { AppSchemas } from '../../api/client.ts'
import { t } from '../../lib/i18n.ts'

type Entry = AppSchemas['AuditEntry']

/** Verbs in the past tense: "Ada paused the monitor Checkout". */
const verbs: Readonly<Record<string, string>> = {
  create: 'created',
  update: 'changed',
  delete: 'deleted',
  pause: 'paused',
  resume: 'resumed',
  check: 'checked',
  acknowledge: 'acknowledged',
  remove: 'removed',
  revoke: 'revoked',
  disable: 'disabled',
  enable: 'enabled',
  replace: 'replaced',
  test: 'tested',
  retry: 'retried',
  rotate: 'rotated',
  attach: 'added',
  detach: 'removed',
  add: 'added',
}

/** Operations that do not follow the pattern verb + noun. */
const whole: Readonly<Record<string, string>> = {
  setUp: t('set up Pharos'),
  signUp: t('signed up'),
  acceptInvitation: t('accepted an invitation'),
  leaveOrganization: t('left the organization'),
  createOrganization: t('created the organization'),
  updateOrganization: t('changed the organization'),
  rotateWebhookSecret: t('rotated the secret of a webhook endpoint'),
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

/** "paused a monitor", derived from the operation id. Unknown ids are split into words. */
export function describeAction(action: string): string {
  const known = whole[action]
  if (known !== undefined) return known
  // Command names contain spaces.
  if (action.includes(' ')) return t('ran “{action}” for', { action })
  const [verb = '', ...rest] = action
    .replaceAll(/([A-Z])/g, ' $1')
    .toLowerCase()
    .split(' ')
  const done = verbs[verb]
  if (done === undefined || rest.length === 0) return [verb, ...rest].join(' ')
  const thing = rest
    .join(' ')
    .replace(/^key$/, 'API key')
    .replace(/^contact$/, 'alert contact')
  return `${done} ${/^[aeiou]/i.test(thing) ? 'an' : 'a'} ${thing}`
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
