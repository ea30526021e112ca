import { Link } from 'wouter-preact'
import { useOrganization } from '../../api/organization.tsx'
import { relativeTime, shortTime } from '../../lib/format.ts'
import { plural, t } from '../../lib/i18n.ts'
import { useNow } from '../../lib/use-now.ts'
import { Section } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { ChannelNote } from '../monitors/contact-choice.tsx'
import { useAlerts } from './activity.ts'
import type { Alert, Detail } from './timeline-entries.ts'

const KEPT_MS = 30 * 86_400_000

/** Who was alerted, by which channel, and whether it arrived. */
export function Alerts({ incident }: { incident: Detail }) {
  const alerts = useAlerts(incident.id)
  return (
    <Section title={t('Alerts')}>
      <QueryResult query={alerts} lines={3}>
        {({ data }) => {
          const contacts = [...Map.groupBy(data, ({ contact }) => contact.id).values()]
          return contacts.length === 0 ? (
            <Nobody incident={incident} />
          ) : (
            <ul class="card divide-y divide-line">
              {contacts.map((own) => (
                <ContactAlerts key={own[0]?.contact.id} alerts={own} />
              ))}
            </ul>
          )
        }}
      </QueryResult>
    </Section>
  )
}

function Nobody({ incident: { resolvedAt } }: { incident: Detail }) {
  const { may } = useOrganization()
  const isOld = resolvedAt !== null && Date.now() - Date.parse(resolvedAt) > KEPT_MS
  if (isOld) return <p class="card p-4 text-muted">{t('Alerts are kept for 30 days after an incident.')}</p>
  return (
    <p class="card p-4 text-muted">
      {t('Nobody was alerted. No alert contact covers this monitor, or it was in maintenance.')}{' '}
      {may('MEMBER') && (
        <Link href="/settings/contacts" class="link">
          {t('Alert contacts')}
        </Link>
      )}
    </p>
  )
}

function ContactAlerts({ alerts }: { alerts: readonly Alert[] }) {
  const [{ contact }] = alerts as readonly [Alert]
  return (
    <li class="px-4 py-3">
      <p class="flex flex-wrap items-baseline justify-between gap-x-3">
        <span class="min-w-0 font-medium wrap-anywhere">{contact.name}</span>
        <ChannelNote contact={contact} />
      </p>
      <ul>
        {alerts.map((alert) => (
          <Result key={alert.kind} alert={alert} />
        ))}
      </ul>
    </li>
  )
}

const looks = {
  SENT: 'text-up-text',
  FAILED: 'text-down-text',
  WAITING: 'text-degraded-text',
  DROPPED: 'text-muted',
  MUTED: 'text-muted',
}

function Result({ alert }: { alert: Alert }) {
  const now = useNow()
  const { kind, status, error } = alert
  return (
    <li class="mt-1">
      <span class="text-muted">{kind === 'OPENED' ? t('Down') : t('Recovered')}: </span>
      <span class={looks[status]}>{resultOf(alert, now)}</span>
      {error !== null && <p class="text-xs text-muted wrap-anywhere">{error}</p>}
    </li>
  )
}

/** "Sent Nov 15, 2:02 PM CET", "Failed after 6 attempts", "Waiting, next attempt in 5 min". */
function resultOf({ status, settledAt, attemptCount, nextAttemptAt }: Alert, now: number): string {
  const on = settledAt === null ? '' : `, ${shortTime(settledAt)}`
  if (status === 'SENT') return t('Sent{on}', { on })
  if (status === 'FAILED')
    return t('Failed after {attemptCount}{on}', { attemptCount: plural(attemptCount, 'attempt'), on })
  if (status === 'DROPPED') return t('Not sent: the contact was disabled{on}', { on })
  if (status === 'MUTED')
    return nextAttemptAt === null
      ? t('Muted{on}', { on })
      : t('Muted until {until}', { until: shortTime(nextAttemptAt) })
  const isDue = nextAttemptAt === null || Date.parse(nextAttemptAt) <= now
  if (attemptCount === 0 && !isDue) {
    return t('Waiting: the monitor is flapping, next message {time}', { time: relativeTime(nextAttemptAt, now) })
  }
  if (attemptCount === 0 || nextAttemptAt === null) return t('Waiting to be sent')
  return t('Waiting after {attemptCount}, {value}', {
    attemptCount: plural(attemptCount, 'failed attempt'),
    value: isDue ? t('retrying now') : t('retry {nextAttemptAt}', { nextAttemptAt: relativeTime(nextAttemptAt, now) }),
  })
}
