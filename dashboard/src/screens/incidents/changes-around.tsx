import { Link } from 'wouter-preact'
import type { PublicSchemas } from '../../api/client.ts'
import { useGet } from '../../api/get.ts'
import { duration, exactTime } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { Section } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { AuditSentence } from '../settings/audit-sentence.tsx'
import type { Detail } from './timeline-entries.ts'

const HOUR_MS = 3_600_000
const MOST = 50

/** Changes in the organization within an hour of the start. For those who may read the audit log. */
export function ChangesAround({ incident: { id, startedAt } }: { incident: Detail }) {
  const start = Date.parse(startedAt)
  const query = {
    limit: MOST,
    since: new Date(start - HOUR_MS).toISOString(),
    until: new Date(start + HOUR_MS).toISOString(),
  }
  const log = useGet('audit', '/api/v1/audit-log', { query, staleTime: 0 })
  return (
    <Section title={t('Changes around that time')} lead={t('One hour before and after the start, from the audit log.')}>
      <QueryResult query={log} lines={3}>
        {({ data, pagination }) => {
          // The timeline shows what was done with the incident itself.
          const others = data.filter(({ target, action }) => target !== id && !action.endsWith('IncidentNote'))
          return others.length === 0 ? (
            <p class="card p-4 text-muted">{t('No changes.')}</p>
          ) : (
            <>
              <ol class="card divide-y divide-line">
                {others.map((entry) => (
                  <Change key={entry.id} entry={entry} start={start} />
                ))}
              </ol>
              {pagination.total > data.length && (
                <p class="mt-2">
                  <Link href="/settings/audit" class="link">
                    {t('Show all in the audit log')}
                  </Link>
                </p>
              )}
            </>
          )
        }}
      </QueryResult>
    </Section>
  )
}

function Change({ entry, start }: { entry: PublicSchemas['AuditEntry']; start: number }) {
  const { at } = entry
  const seconds = (Date.parse(at) - start) / 1000
  return (
    <li class="px-4 py-2.5">
      <p class="wrap-anywhere">
        <AuditSentence entry={entry} />
      </p>
      <p class="text-xs text-muted">
        <time dateTime={at} title={exactTime(at)}>
          {Math.abs(seconds) < 1
            ? t('at the start')
            : seconds < 0
              ? t('{duration} before the start', { duration: duration(-seconds) })
              : t('{duration} after the start', { duration: duration(seconds) })}
        </time>
      </p>
    </li>
  )
}
