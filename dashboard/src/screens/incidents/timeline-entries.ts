import type { PublicSchemas } from '../../api/client.ts'
import { separated } from '../../lib/format.ts'
import { plural, t } from '../../lib/i18n.ts'
import { channelLabel, incidentStatusLabels } from '../../lib/labels.ts'
import { sentenceOf } from '../../lib/reasons.ts'

export type Detail = PublicSchemas['IncidentDetail']
export type Alert = PublicSchemas['IncidentAlert']
export type Note = PublicSchemas['IncidentNote']
type Publication = PublicSchemas['PublishedIncident']

interface TimedEntry {
  readonly key: string
  /** ISO time. */
  readonly at: string
}

export interface TextEntry extends TimedEntry {
  readonly kind: 'down' | 'up' | 'acknowledged' | 'alert' | 'alert-failed'
  readonly title: string
  readonly text: string | null
}

export type Entry =
  | TextEntry
  | (TimedEntry & { readonly kind: 'note'; readonly note: Note })
  | (TimedEntry & {
      readonly kind: 'update'
      readonly title: string
      readonly message: string
      readonly publicationId: string
      readonly publicationTitle: string
    })

/** Names in one entry; the list of alerts has all of them. */
const MOST_NAMES = 4

interface TimelineSources {
  readonly incident: Detail
  readonly alerts: readonly Alert[]
  readonly notes: readonly Note[]
  readonly publications: readonly Publication[]
}

/** Checks, alerts, acknowledgement, notes and published updates of an incident, oldest first. */
export function timelineOf({ incident, alerts, notes, publications }: TimelineSources): readonly Entry[] {
  const entries: Entry[] = [
    ...checkEntries(incident),
    ...alertEntries(alerts),
    ...notes.map((note) => ({ kind: 'note' as const, key: note.id, at: note.createdAt, note })),
    ...publications.flatMap(updateEntries),
  ]
  return entries.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
}

const kinds = { OPENED: 'down', ACKNOWLEDGED: 'acknowledged', RESOLVED: 'up' } as const
const titles = { OPENED: t('Went down'), ACKNOWLEDGED: t('Acknowledged'), RESOLVED: t('Resolved') } as const

function checkEntries({ timeline, failedChecks, lastFailure, firstFailure }: Detail): readonly TextEntry[] {
  const entries = timeline.map((entry) => ({
    kind: kinds[entry.type],
    key: entry.type,
    at: entry.at,
    title: titles[entry.type],
    text: sentenceOf(entry, 'message'),
  }))
  if (lastFailure.at === firstFailure.at) return entries
  const title = t('Last of {failedChecks}', { failedChecks: plural(failedChecks, 'failed check') })
  return [...entries, { kind: 'down', key: 'last', at: lastFailure.at, title, text: sentenceOf(lastFailure, 'error') }]
}

/** One entry for each kind of alert and result. */
function alertEntries(alerts: readonly Alert[]): readonly TextEntry[] {
  return [...Map.groupBy(alerts, ({ kind, status }) => `${kind} ${status}`)].map(([key, group]) => {
    const { kind, status, error } = group[0] as Alert
    const at = group.map(timeOf).toSorted().at(-1) as string
    const what = kind === 'OPENED' ? t('Alert') : t('Recovery alert')
    return {
      kind: status === 'FAILED' ? 'alert-failed' : 'alert',
      key,
      at,
      title: `${what} ${results[status]} ${namesOf(group)}`,
      text: status === 'FAILED' ? error : null,
    }
  })
}

const results = {
  SENT: t('sent to'),
  FAILED: t('could not be delivered to'),
  WAITING: t('waiting for delivery to'),
  DROPPED: t('not sent to'),
  MUTED: t('muted for'),
} as const

function timeOf({ settledAt, queuedAt }: Alert): string {
  return settledAt ?? queuedAt
}

function namesOf(alerts: readonly Alert[]): string {
  const names = alerts.map(({ contact }) => `${contact.name} (${channelLabel(contact.channel).replace(' (JSON)', '')})`)
  const rest = names.length - MOST_NAMES
  return rest <= 0
    ? separated(names)
    : t('{value} and {rest} more', { value: separated(names.slice(0, MOST_NAMES)), rest })
}

function updateEntries({ id, title, updates }: Publication): readonly Entry[] {
  return updates.map((update) => ({
    kind: 'update',
    key: update.id,
    at: update.publishedAt,
    title: t('Published: {value}', { value: incidentStatusLabels[update.status] }),
    message: update.message,
    publicationId: id,
    publicationTitle: title,
  }))
}
