import { useQuery } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { PublicSchemas } from '../../api/client.ts'
import { useGet } from '../../api/get.ts'
import { contactsOfMonitor } from '../../api/lists.ts'
import { useOrganization } from '../../api/organization.tsx'
import { duration, number, shortTime } from '../../lib/format.ts'
import { t, tx } from '../../lib/i18n.ts'
import { useRunningAction } from '../../lib/running-action.ts'
import { Button } from '../../ui/button.tsx'
import { Markdown } from '../../ui/markdown.tsx'
import { ErrorNotice, InfoNotice } from '../../ui/notice.tsx'
import { Section } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { StateLabel } from '../../ui/state.tsx'
import { ChannelNote, whyUnused } from './contact-choice.tsx'
import { bodyOf, draftOf } from './draft.ts'
import { useIncidentReasons } from './incident-reasons.ts'
import { TestResult } from './test-result.tsx'

/** Shown while a maintenance window covers the monitor. */
export function InMaintenance({ id }: { id: string }) {
  const { data } = useGet('maintenance', '/api/v1/maintenance-windows', {
    query: { monitorId: id, status: 'IN_PROGRESS', limit: 1 },
  })
  const window = data?.data[0]
  if (window === undefined) return null
  return (
    <InfoNotice class="mb-4">
      <StateLabel state="MAINTENANCE" />{' '}
      {tx(
        '{link}{value}. Checks continue, but no incidents or alerts are created, and the time doesn’t count towards uptime.',
        {
          link: (
            <Link href={`/maintenance/${window.id}`} class="link">
              {window.name}
            </Link>
          ),
          value:
            window.currentOccurrence !== null &&
            t(' until {endsAt}', { endsAt: shortTime(window.currentOccurrence.endsAt) }),
        },
      )}
    </InfoNotice>
  )
}

/** Phases of a check by type; the other types have a single one. */
const phases: Readonly<Partial<Record<PublicSchemas['Monitor']['type'], string>>> = {
  HTTP: t('DNS, TCP, TLS and time to first byte'),
  KEYWORD: t('DNS, TCP, TLS and time to first byte'),
  SSL: t('DNS, TCP and the TLS handshake'),
  PORT: t('DNS and the TCP connection'),
}

/** Duration of each phase, measured on demand: checks store only the total. */
export function TimingBreakdown({ monitor }: { monitor: PublicSchemas['Monitor'] }) {
  const { api, may } = useOrganization()
  const doing = useRunningAction()
  const [tried, setTried] = useState<PublicSchemas['TestResult']>()
  const measured = phases[monitor.type]
  if (!may('MEMBER') || measured === undefined) return null
  const measure = async () => {
    setTried(await api.POST('/api/v1/monitors/try', { body: { ...bodyOf(draftOf(monitor)), monitorId: monitor.id } }))
  }
  return (
    <Section
      title={t('Timing breakdown')}
      actions={
        <Button busy={doing.busy !== null} onClick={() => void doing.run('measure', measure)}>
          {t('Run test')}
        </Button>
      }
    >
      {doing.problem !== undefined ? (
        <ErrorNotice problem={doing.problem} />
      ) : tried === undefined ? (
        <p class="card px-4 py-3 text-muted">{tx('Measures {measured}. Not saved.', { measured })}</p>
      ) : (
        <TestResult tried={tried} />
      )}
    </Section>
  )
}

/** Contacts that get alerts about this monitor. */
export function AlertContacts({ id }: { id: string }) {
  const { api, key, may } = useOrganization()
  const contacts = useQuery({
    queryKey: key('contact', 'for', id),
    queryFn: () => contactsOfMonitor(api, id),
  })
  return (
    <Section title={t('Alerts')}>
      <QueryResult query={contacts} lines={2}>
        {(data) => {
          const contacts = data.filter(({ attached }) => attached)
          return contacts.length === 0 ? (
            <p class="card px-4 py-3 text-muted">
              {data.length === 0 ? t('No alert contacts yet.') : t('No contact is chosen for this monitor.')}{' '}
              {may('MEMBER') && (
                <Link href={data.length === 0 ? '/settings/contacts' : `/monitors/${id}/edit`} class="link">
                  {data.length === 0 ? t('Add alert contact') : t('Choose contacts')}
                </Link>
              )}
            </p>
          ) : (
            <ul class="card divide-y divide-line">
              {contacts.map((contact) => (
                <li key={contact.contactId} class="flex flex-wrap items-baseline gap-x-2 px-4 py-2">
                  <span class="min-w-0 grow">{contact.name}</span>
                  <ChannelNote contact={contact} />
                </li>
              ))}
              {contacts.every((contact) => whyUnused(contact) !== '') && (
                <li class="px-4 py-2 text-degraded-text">{t('No contact receives alerts for this monitor.')}</li>
              )}
            </ul>
          )
        }}
      </QueryResult>
    </Section>
  )
}

/** The latest incidents of a monitor. */
export function MonitorIncidents({
  id,
  incidents,
}: {
  id: string
  incidents: PublicSchemas['IncidentPage'] | undefined
}) {
  const reasonOf = useIncidentReasons(incidents?.data.slice(0, 5) ?? [])
  if (incidents === undefined) return null
  const { data, pagination } = incidents
  return (
    <Section title={t('Incidents')}>
      {data.length === 0 ? (
        <p class="card px-4 py-3 text-muted">{t('No incidents yet.')}</p>
      ) : (
        <ul class="card divide-y divide-line">
          {data.slice(0, 5).map((incident) => (
            <li key={incident.id} class="relative px-4 py-2 hover:bg-ground">
              <Link href={`/incidents/${incident.id}`} class="font-medium after:absolute after:inset-0 hover:underline">
                {shortTime(incident.startedAt)}
              </Link>
              <span class="text-muted">
                {incident.durationSec === null ? t(', ongoing') : `, ${duration(incident.durationSec)}`}
              </span>
              <p class="line-clamp-2 text-xs text-muted">{reasonOf(incident)}</p>
            </li>
          ))}
          {pagination.total > 5 && (
            <li class="px-4 py-2">
              <Link href={`/incidents?monitorId=${id}&status=all`} class="link">
                {tx('All {value} incidents', { value: number(pagination.total) })}
              </Link>
            </li>
          )}
        </ul>
      )}
    </Section>
  )
}

/** The notes of a monitor, if it has some. */
export function NotesPanel({ id }: { id: string }) {
  const { data } = useGet(['monitor', id], '/api/v1/monitors/{monitorId}/notes', { path: { monitorId: id } })
  if (data?.runbookUrl === undefined && data?.text === undefined) return null
  return (
    <Section title={t('Notes')}>
      <div class="card space-y-2 px-4 py-3">
        {data.runbookUrl !== undefined && (
          <p>
            <a href={data.runbookUrl} target="_blank" rel="noreferrer" class="link break-all">
              {t('Open runbook')}
            </a>
          </p>
        )}
        {data.text !== undefined && <Markdown text={data.text} />}
      </div>
    </Section>
  )
}
