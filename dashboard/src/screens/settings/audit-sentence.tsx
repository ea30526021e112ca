import { Link } from 'wouter-preact'
import type { PublicSchemas } from '../../api/client.ts'
import { t } from '../../lib/i18n.ts'
import { fieldLabel } from '../../lib/labels.ts'

/** "First key (API key) paused Old blog", with a link to what was changed. */
export function AuditSentence({ entry }: { entry: PublicSchemas['AuditEntry'] }) {
  const { actor, fields } = entry
  const kind = actorKinds[actor.type]
  const { before, target, after } = describeEntry(entry)
  const isDeleted = entry.action.startsWith('delete')
  const screen = entry.target === null || isDeleted ? undefined : screenOf(entry.target)
  return (
    <>
      <strong class="font-medium">{actor.name}</strong>
      {kind && <span class="text-muted"> ({kind})</span>} {before}
      {target !== '' && screen !== undefined ? (
        <Link href={screen} class="link">
          {target}
        </Link>
      ) : (
        target
      )}
      {after}
      {fields.length > 0 && <span class="text-muted">: {fields.map(fieldLabel).join(', ')}</span>}
    </>
  )
}

type Entry = PublicSchemas['AuditEntry']

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

/** What each operation did: "Ada paused Old blog". */
const actions: Readonly<Record<string, string>> = {
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
  dismissSetupChecklist: t('hid or restored the setup checklist'),
}

/** What an operation or a command did, with `{target}` where the name of the resource belongs. */
function sentenceOf(action: string): string {
  const known = actions[action]
  if (known !== undefined) return known
  // Command names contain spaces. Operations of other versions are split into words.
  const isCommand = action.includes(' ')
  const words = isCommand ? t('ran “{action}” for', { action }) : action.replaceAll(/([A-Z])/g, ' $1').toLowerCase()
  return `${words} {target}`
}

/** The parts of the sentence before and after the changed resource, and the resource: "Old blog", "Shop (status page)". */
function describeEntry(entry: Pick<Entry, 'action' | 'actor' | 'target' | 'targetName'>): {
  readonly before: string
  readonly target: string
  readonly after: string
} {
  const [before = '', after] = sentenceOf(entry.action).split('{target}')
  const isNamed = after !== undefined && (entry.target === null || entry.target !== entry.actor.id)
  return { before, target: isNamed ? targetOf(entry) : '', after: after ?? '' }
}

/** What monitors are is clear. Others have their kind behind the name. */
const kinds: Readonly<Record<string, string>> = {
  inc: t('incident'),
  note: t('incident'),
  sinc: t('published incident'),
  mw: t('maintenance window'),
  page: t('status page'),
  we: t('webhook endpoint'),
  dlv: t('webhook delivery'),
  key: t('API key'),
  con: t('alert contact'),
  usr: t('member'),
  inv: t('invitation'),
  sub: t('subscriber'),
}

function targetOf({ target, targetName }: Pick<Entry, 'target' | 'targetName'>): string {
  const kind = target === null ? undefined : kinds[target.slice(0, target.indexOf('_'))]
  if (targetName === null) return kind ?? t('a resource')
  return kind === undefined ? targetName : t('{name} ({kind})', { name: targetName, kind })
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

/** Path of a resource; undefined if it has no screen. */
export function screenOf(id: string): string | undefined {
  return screens[id.slice(0, id.indexOf('_'))]?.(id)
}

const actorKinds: Readonly<Record<Entry['actor']['type'], string | null>> = {
  USER: null,
  API_KEY: t('API key'),
  COMMAND_LINE: t('Command line'),
}
