import type { AppSchemas } from '../../api/client.ts'

type Entry = AppSchemas['AuditEntry']

/** Verbs in the past tense: "Ada paused the monitor Checkout". */
const verbs: Readonly<Record<string, string>> = {
  create: 'made',
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
  retry: 'sent again',
  rotate: 'renewed',
  attach: 'attached',
  detach: 'detached',
  add: 'added',
}

/** Operations that do not follow the pattern verb + noun. */
const whole: Readonly<Record<string, string>> = {
  setUp: 'set up Pharos',
  signUp: 'signed up',
  acceptInvitation: 'accepted an invitation',
  leaveOrganization: 'left the organization',
  createOrganization: 'made the organization',
  updateOrganization: 'changed the organization',
  rotateWebhookSecret: 'renewed the secret of a webhook endpoint',
  signUpWithOidc: 'came in from the sign-in provider',
  linkIdentity: 'connected an account of the sign-in provider',
  confirmTotp: 'switched two-step sign-in on',
  removeTotp: 'switched two-step sign-in off',
  renewRecoveryCodes: 'made new recovery codes',
  addPasskey: 'added a passkey',
  deletePasskey: 'removed a passkey',
  createInvitation: 'invited somebody',
  deleteInvitation: 'took an invitation back',
  resendContactConfirmation: 'resent the confirmation of an alert contact',
}

/** "paused a monitor", derived from the operation id. Unknown ids are shown unchanged. */
export function describeAction(action: string): string {
  const known = whole[action]
  if (known !== undefined) return known
  // Command names contain spaces.
  if (action.includes(' ')) return `ran “${action}” for`
  const [verb = '', ...rest] = action
    .replaceAll(/([A-Z])/g, ' $1')
    .toLowerCase()
    .split(' ')
  const done = verbs[verb]
  if (done === undefined || rest.length === 0) return action
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

/** Name or id of the changed resource; null if it is the actor or has no name. */
export function targetOf({ actor, target, targetName }: Pick<Entry, 'actor' | 'target' | 'targetName'>): string | null {
  return target !== null && target === actor.id ? null : (targetName ?? target)
}

/** Path of the changed resource; undefined if it was deleted or has no screen. */
export function screenOf({ action, target }: Pick<Entry, 'action' | 'target'>): string | undefined {
  if (target === null || /^delete/.test(action)) return undefined
  return screens[target.slice(0, target.indexOf('_'))]?.(target)
}

export const actorKinds: Readonly<Record<Entry['actor']['type'], string | null>> = {
  USER: null,
  API_KEY: 'API key',
  COMMAND_LINE: 'Command line',
}
