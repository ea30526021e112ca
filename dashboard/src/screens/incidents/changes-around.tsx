import { useQuery } from '@tanstack/preact-query'
import { Link } from 'wouter-preact'
import type { PublicSchemas } from '../../api/client.ts'
import { useGet } from '../../api/get.ts'
import { contactsOfMonitor } from '../../api/lists.ts'
import { useOrganization } from '../../api/organization.tsx'
import { duration, exactTime } from '../../lib/format.ts'
import { plural, t } from '../../lib/i18n.ts'
import { Section } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { AuditSentence } from '../settings/audit-sentence.tsx'
import type { Detail } from './timeline-entries.ts'

const HOUR_MS = 3_600_000
const MOST = 50

/** Changes in the organization within an hour of the start. For those who may read the audit log. */
export function ChangesAround({ incident: { id, startedAt, monitor } }: { incident: Detail }) {
  const isConcerned = useConcerned(monitor.id)
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
          const [own, rest] = [others.filter(isConcerned), others.filter((entry) => !isConcerned(entry))]
          return (
            <>
              {own.length === 0 ? (
                <p class="card p-4 text-muted">{t('No changes of this monitor, its contacts or maintenance.')}</p>
              ) : (
                <Changes entries={own} start={start} />
              )}
              {rest.length > 0 && (
                <details class="mt-2">
                  <summary class="touch cursor-pointer">
                    {plural(rest.length, 'change of something else', 'changes of something else')}
                  </summary>
                  <div class="mt-2">
                    <Changes entries={rest} start={start} />
                  </div>
                </details>
              )}
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

/** Whether a change concerns a monitor: its own, those of its contacts and of its maintenance windows. */
function useConcerned(monitorId: string): (entry: PublicSchemas['AuditEntry']) => boolean {
  const { api, key } = useOrganization()
  const contacts = useQuery({
    queryKey: key('contact', 'for', monitorId),
    queryFn: () => contactsOfMonitor(api, monitorId),
  })
  const windows = useGet('maintenance', '/api/v1/maintenance-windows', { query: { monitorId, limit: 100 } })
  const ids = new Set([
    monitorId,
    ...(contacts.data ?? []).filter(({ attached }) => attached).map(({ contactId }) => contactId),
    ...(windows.data?.data ?? []).map(({ id }) => id),
  ])
  return ({ target }) => target !== null && ids.has(target)
}

function Changes({ entries, start }: { entries: readonly PublicSchemas['AuditEntry'][]; start: number }) {
  return (
    <ol class="card divide-y divide-line">
      {entries.map((entry) => (
        <Change key={entry.id} entry={entry} start={start} />
      ))}
    </ol>
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
