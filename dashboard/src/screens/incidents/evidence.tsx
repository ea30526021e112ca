import type { ReasonCode } from '../../../../src/reasons/reason.ts'
import type { PublicSchemas } from '../../api/client.ts'
import { useGet } from '../../api/get.ts'
import { duration, exactTime, milliseconds } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { sentencesOf, words } from '../../lib/reasons.ts'
import { Section } from '../../ui/page.tsx'
import type { Detail } from './timeline-entries.ts'

type Evidence = PublicSchemas['IncidentEvidence']
type Change = Evidence['changes'][number]

const phases = [
  { field: 'dnsMs', title: t('DNS lookup') },
  { field: 'connectMs', title: t('TCP connection') },
  { field: 'tlsMs', title: t('TLS handshake') },
  { field: 'firstByteMs', title: t('Time to first byte') },
  { field: 'downloadMs', title: t('Response body') },
] as const

/** What differs from the last successful check. Absent while that is not known. */
export function IncidentEvidence({ incident: { id, startedAt } }: { incident: Detail }) {
  const { data } = useGet(['incident', id], '/api/v1/incidents/{incidentId}/evidence', { path: { incidentId: id } })
  if (data === undefined) return null
  const { summary } = data
  // The value of a text is a checksum.
  const changes = data.changes.filter(({ field }) => field !== 'text')
  if (summary.length + changes.length + Object.keys(data.phases).length === 0) return null
  return (
    <Section title={t('What changed')}>
      <div class="card p-4">
        {sentencesOf(data, 'summary').map((sentence) => (
          <p key={sentence} class="wrap-anywhere">
            {sentence}
          </p>
        ))}
        {changes.length > 0 && <Changes changes={changes} startedAt={startedAt} />}
        <Phases phases={data.phases} />
      </div>
    </Section>
  )
}

function Changes({ changes, startedAt }: { changes: readonly Change[]; startedAt: string }) {
  return (
    <dl class="mt-3 divide-y divide-line border-t border-line">
      {changes.map((change) => (
        <div key={`${change.field} ${change.changedAt}`} class="grid gap-x-4 py-2 sm:grid-cols-[10rem_1fr_1fr]">
          <dt>
            {words(`field_${change.field}` as ReasonCode, change.field)}
            <time class="block text-xs text-muted" dateTime={change.changedAt} title={exactTime(change.changedAt)}>
              {whenOf(change, startedAt)}
            </time>
          </dt>
          <Value label={t('Before')} value={change.before} />
          <Value label={t('After')} value={change.after} />
        </div>
      ))}
    </dl>
  )
}

function whenOf({ changedAt }: Change, startedAt: string): string {
  const seconds = (Date.parse(startedAt) - Date.parse(changedAt)) / 1000
  return seconds < 1 ? t('at the start') : t('{duration} before the start', { duration: duration(seconds) })
}

function Value({ label, value }: { label: string; value: string }) {
  return (
    <dd class="wrap-anywhere">
      <span class="block text-xs text-muted">{label}</span>
      {value === 'none' ? words('none', value) : value}
    </dd>
  )
}

/** Two bars for each phase: how long it usually takes, and how long it took. */
function Phases({ phases: measured }: { phases: Evidence['phases'] }) {
  const found = phases.flatMap(({ field, title }) => {
    const ms = measured[field]
    return ms === undefined ? [] : [{ title, ...ms }]
  })
  const longestMs = Math.max(1, ...found.flatMap(({ typicalMs, failedMs }) => [typicalMs, failedMs]))
  if (found.length === 0) return null
  return (
    <dl class="mt-3 grid grid-cols-[auto_1fr_auto] items-center gap-x-3 gap-y-1 border-t border-line pt-3">
      {found.map(({ title, typicalMs, failedMs }) => (
        <div key={title} class="contents">
          <dt>{title}</dt>
          <dd class="space-y-0.5" aria-hidden="true">
            <Bar share={typicalMs / longestMs} look="bg-muted" />
            <Bar share={failedMs / longestMs} look="bg-accent" />
          </dd>
          <dd class="text-end text-xs">
            <span class="block text-muted">{t('usually {time}', { time: milliseconds(typicalMs) })}</span>
            <span class="block">{t('now {time}', { time: milliseconds(failedMs) })}</span>
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Bar({ share, look }: { share: number; look: string }) {
  return <div class={`h-1.5 min-w-0.5 rounded ${look}`} style={{ inlineSize: `${share * 100}%` }} />
}
