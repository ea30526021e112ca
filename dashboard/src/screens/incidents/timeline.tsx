import { BellOff, BellRing, Check, Megaphone, MessageSquare } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { Link } from 'wouter-preact'
import { useGet } from '../../api/get.ts'
import { t } from '../../lib/i18n.ts'
import { Markdown } from '../../ui/markdown.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Section } from '../../ui/page.tsx'
import { StateShape } from '../../ui/state.tsx'
import { AbsoluteTime } from '../../ui/time.tsx'
import { useAlerts, usePublications } from './activity.ts'
import { AddNote, NoteEntry } from './notes.tsx'
import { type Detail, type Entry, type TextEntry, timelineOf } from './timeline-entries.ts'

/** Everything that happened in an incident, oldest first, with a form for notes below. */
export function Timeline({ incident }: { incident: Detail }) {
  const path = { incidentId: incident.id }
  const alerts = useAlerts(incident.id)
  const notes = useGet(['incident', incident.id], '/api/v1/incidents/{incidentId}/notes', { path })
  const publications = usePublications(incident.id)
  const entries = timelineOf({
    incident,
    alerts: alerts.data?.data ?? [],
    notes: notes.data?.data ?? [],
    publications: publications.data?.data ?? [],
  })
  const failed = [notes, publications].find(({ isError, data }) => isError && data === undefined)
  return (
    <Section title={t('Timeline')}>
      <div class="card">
        <ol class="divide-y divide-line">
          {entries.map((entry) => (
            <Row key={entry.key} entry={entry} incidentId={incident.id} />
          ))}
        </ol>
        <AddNote incidentId={incident.id} count={notes.data?.data.length ?? 0} />
      </div>
      {failed !== undefined && (
        <div class="mt-3">
          <ErrorNotice problem={failed.error} onRetry={() => void failed.refetch()} />
        </div>
      )}
    </Section>
  )
}

const shapes: Readonly<Record<TextEntry['kind'], ComponentChildren>> = {
  down: <StateShape state="DOWN" size={14} />,
  up: <StateShape state="UP" size={14} />,
  acknowledged: <Check />,
  alert: <BellRing />,
  'alert-failed': <BellOff class="text-down-text" />,
}

function Row({ entry, incidentId }: { entry: Entry; incidentId: string }) {
  if (entry.kind === 'note') {
    return (
      <EntryRow icon={<MessageSquare />}>
        <NoteEntry note={entry.note} incidentId={incidentId} />
      </EntryRow>
    )
  }
  if (entry.kind === 'update') {
    return (
      <EntryRow icon={<Megaphone />}>
        <p class="font-medium">{entry.title}</p>
        <p class="text-xs text-muted">
          <AbsoluteTime at={entry.at} />,{' '}
          <Link href={`/published/${entry.publicationId}`} class="link">
            {entry.publicationTitle}
          </Link>
        </p>
        <div class="mt-1 wrap-anywhere">
          <Markdown text={entry.message} />
        </div>
      </EntryRow>
    )
  }
  const isRepeated = entry.text === null || entry.text === entry.title
  return (
    <EntryRow icon={shapes[entry.kind]}>
      <p class="font-medium wrap-anywhere">{entry.kind === 'acknowledged' && !isRepeated ? entry.text : entry.title}</p>
      {!isRepeated && entry.kind !== 'acknowledged' && <p class="text-muted wrap-anywhere">{entry.text}</p>}
      <p class="text-xs text-muted">
        <AbsoluteTime at={entry.at} />
      </p>
    </EntryRow>
  )
}

function EntryRow({ icon, children }: { icon: ComponentChildren; children: ComponentChildren }) {
  return (
    <li class="flex gap-3 px-4 py-3">
      <span class="w-4 shrink-0 pt-0.5 text-muted">{icon}</span>
      <div class="min-w-0 grow">{children}</div>
    </li>
  )
}
