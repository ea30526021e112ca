import { Link } from 'wouter-preact'
import type { PublicSchemas } from '../../api/client.ts'
import { separated } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { fieldLabel } from '../../lib/labels.ts'
import { auditActions } from './audit-actions.ts'

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
      {fields.length > 0 && !namesItself(entry.action) && (
        <span class="text-muted">: {separated(fields.map(fieldLabel))}</span>
      )}
    </>
  )
}

type Entry = PublicSchemas['AuditEntry']

/** Sets one thing, which the sentence names. */
function namesItself(action: string): boolean {
  return action.startsWith('set') && auditActions[action] !== undefined
}

/** What an operation or a command did, with `{target}` where the name of the resource belongs. */
function sentenceOf(action: string): string {
  const known = auditActions[action]
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
