import type { PublicSchemas } from '../../api/client.ts'
import { useGet } from '../../api/get.ts'
import { causeText, expectedText } from '../../lib/causes.ts'
import { exactTime, milliseconds } from '../../lib/format.ts'
import { t, tx } from '../../lib/i18n.ts'
import { CodeBlock } from '../../ui/copy.tsx'
import { Fact, Facts } from './facts.tsx'
import { targetText } from './types.ts'

/** "HTTP 503 Service Unavailable (expected 2xx or 3xx) after a redirect …" → what was received, what was expected. */
export function failureParts(error: string): { readonly received: string; readonly expected: string | null } {
  const [, received, expected, rest] = /^(HTTP \d{3}[^(]*?) \(expected ([^)]+)\)(.*)$/s.exec(error) ?? []
  if (received === undefined || expected === undefined)
    return { received: causeText(error.replace(/\.$/, '')), expected: null }
  return { received: causeText(`${received}${rest ?? ''}`), expected: expectedText(expected) }
}

interface FailureFactsProps {
  readonly monitor: PublicSchemas['Monitor']
  readonly incidentId: string
}

/** What the last failed check of an open incident got. */
export function FailureFacts({ monitor, incidentId }: FailureFactsProps) {
  // About the monitor: each check can add a failure, and is announced as a change of the monitor.
  const { data } = useGet(['monitor', monitor.id], '/api/v1/incidents/{incidentId}', { path: { incidentId } })
  if (data === undefined || monitor.type === 'CRON') return null
  const { at, statusCode, responseMs, ip, error, excerpt } = data.lastFailure
  const { expected } = failureParts(error)
  const target = targetText(monitor)
  return (
    <div class="mt-3 border-t border-line">
      <Facts>
        {expected !== null && <Fact name={t('Expected')}>{expected}</Fact>}
        {expected === null && statusCode !== null && (
          <Fact name={t('Response')}>{tx('HTTP {statusCode}', { statusCode })}</Fact>
        )}
        {target !== null && <Fact name={t('Address')}>{ip === null ? target : `${target} (${ip})`}</Fact>}
        <Fact name={t('Checked')}>{exactTime(at)}</Fact>
        {statusCode !== null && responseMs !== null && (
          <Fact name={t('Response time')}>{milliseconds(responseMs)}</Fact>
        )}
      </Facts>
      {excerpt !== null && excerpt !== '' && (
        <details class="mt-1">
          <summary class="touch cursor-pointer">{t('Response body')}</summary>
          <CodeBlock text={excerpt} label={t('Response body')} />
        </details>
      )}
    </div>
  )
}
