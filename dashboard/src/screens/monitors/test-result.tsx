import type { PublicSchemas } from '../../api/client.ts'
import { dayOf, duration, milliseconds, separated } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { sentenceOf } from '../../lib/reasons.ts'
import { StateLabel } from '../../ui/state.tsx'

type Result = PublicSchemas['TestResult']

const phases = [
  { field: 'dnsMs', word: 'DNS', title: t('DNS lookup') },
  { field: 'connectMs', word: 'TCP', title: t('TCP connection') },
  { field: 'tlsMs', word: 'TLS', title: t('TLS handshake') },
  { field: 'firstByteMs', word: t('First byte'), title: t('Time to first byte') },
] as const

/** Result of testing settings: state, duration of each phase, error. */
export function TestResult({ tried }: { tried: Result }) {
  const { outcome, error, excerpt } = tried
  return (
    <div class="rounded-md border border-line bg-ground p-4" role="status">
      <p class="flex flex-wrap items-center gap-x-3 gap-y-1">
        {outcome === 'SUCCESS' && <StateLabel state={tried.degraded === null ? 'UP' : 'DEGRADED'} />}
        {outcome === 'FAILURE' && <StateLabel state="DOWN" />}
        {outcome === 'INCONCLUSIVE' && <StateLabel state="PENDING" />}
        <span>{sentence(tried)}</span>
      </p>
      <Timings timings={tried.timings} />
      <Facts tried={tried} />
      {error !== null && excerpt !== null && excerpt !== '' && (
        <details class="mt-3">
          <summary class="cursor-pointer">{t('Response body')}</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable with the keyboard */}
          <pre class="code mt-2 max-h-60" tabIndex={0}>
            {excerpt}
          </pre>
        </details>
      )}
    </div>
  )
}

function sentence(tried: Result): string {
  const { outcome, statusCode, responseMs, degraded } = tried
  if (degraded !== null && outcome === 'SUCCESS') return sentenceOf(tried, 'degraded') ?? ''
  if (outcome !== 'SUCCESS') return sentenceOf(tried, 'error') ?? t('No result')
  const what = statusCode === null ? t('Responded') : t('HTTP {statusCode}', { statusCode })
  return responseMs === null ? `${what}.` : t('{what} in {responseMs}.', { what, responseMs: milliseconds(responseMs) })
}

/** A waterfall of phases. */
function Timings({ timings }: { timings: Result['timings'] }) {
  const measured = phases.flatMap((phase) => {
    const ms = timings[phase.field]
    return ms === null ? [] : [{ ...phase, ms }]
  })
  const total = measured.reduce((sum, { ms }) => sum + ms, 0)
  if (measured.length === 0 || total === 0) return null
  let before = 0
  return (
    <dl class="mt-3 grid grid-cols-[auto_1fr_auto] items-center gap-x-3 gap-y-1">
      {measured.map(({ field, word, title, ms }) => {
        const start = before
        before += ms
        return (
          <div key={field} class="contents">
            <dt class="text-muted" title={title}>
              {word}
            </dt>
            <dd class="h-2 overflow-hidden rounded bg-line" aria-hidden="true">
              <div
                class="h-2 min-w-0.5 rounded bg-accent"
                style={{ marginInlineStart: `${(start / total) * 98}%`, inlineSize: `${(ms / total) * 98}%` }}
              />
            </dd>
            <dd class="text-end">{milliseconds(ms)}</dd>
          </div>
        )
      })}
    </dl>
  )
}

function Facts({ tried: { ip, certificateExpiresAt, records } }: { tried: Result }) {
  const days = certificateExpiresAt === null ? 0 : (new Date(certificateExpiresAt).getTime() - Date.now()) / 1000
  if (ip === null && certificateExpiresAt === null && (records === null || records.length === 0)) return null
  const facts = [
    ip !== null && t('IP address {ip}', { ip }),
    certificateExpiresAt !== null &&
      t('Expires on {certificateExpiresAt}, {value}', {
        certificateExpiresAt: dayOf(certificateExpiresAt),
        value: days > 0 ? t('in {days}', { days: duration(days) }) : t('{duration} ago', { duration: duration(-days) }),
      }),
    records !== null && records.length > 0 && t('Records: {records}', { records: separated(records) }),
  ]
  return <p class="mt-3 text-xs text-muted">{facts.filter((fact) => fact !== false).join(' · ')}</p>
}
