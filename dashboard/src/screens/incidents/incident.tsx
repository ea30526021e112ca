import { Check, Megaphone } from 'lucide-preact'
import { useEffect } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { PublicSchemas } from '../../api/client.ts'
import { useGet } from '../../api/get.ts'
import { useOrganization } from '../../api/organization.tsx'
import { dayAndTime, dayOf, duration, milliseconds, separated, shortTime, timeOfDay } from '../../lib/format.ts'
import { plural, t, tx } from '../../lib/i18n.ts'
import { incidentStatusLabels } from '../../lib/labels.ts'
import { sentenceOf } from '../../lib/reasons.ts'
import { useRunningAction } from '../../lib/running-action.ts'
import { useNow } from '../../lib/use-now.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { LabelledShape, StateLabel } from '../../ui/state.tsx'
import { AbsoluteTime } from '../../ui/time.tsx'
import { useAcknowledge } from '../monitors/acknowledge.tsx'
import { FlappingNotice } from '../monitors/flapping.tsx'
import { MutedNotice } from '../monitors/mute.tsx'
import { OutlivedNotice } from '../published-incidents/outlived-notice.tsx'
import { usePublications } from './activity.ts'
import { Alerts } from './alerts.tsx'
import { ChangesAround } from './changes-around.tsx'
import { IncidentEvidence } from './evidence.tsx'
import { Timeline } from './timeline.tsx'
import type { Detail } from './timeline-entries.ts'

const back = { href: '/incidents', label: t('Incidents') }

export default function Incident({ id }: { id: string }) {
  const incident = useGet(['incident', id], '/api/v1/incidents/{incidentId}', { path: { incidentId: id } })
  if (incident.data !== undefined) return <Details incident={incident.data} onStale={() => void incident.refetch()} />
  return (
    <ResourcePage query={incident} title={t('Incident')} back={back}>
      {t('It may have been deleted with its monitor.')}
    </ResourcePage>
  )
}

function Details({ incident, onStale }: { incident: Detail; onStale: () => void }) {
  const { id, monitor, resolvedAt, acknowledged, failedChecks } = incident
  const { may } = useOrganization()
  const acknowledge = useAcknowledge(id)
  const doing = useRunningAction()
  const isOpen = resolvedAt === null
  const mayAcknowledge = isOpen && !acknowledged && may('MEMBER')
  useFailures(incident, onStale)
  return (
    <Page
      title={isOpen ? t('{name} is down', { name: monitor.name }) : t('{name} was down', { name: monitor.name })}
      back={back}
      wide
      lead={tx('Monitor {link}, {failedChecks}', {
        link: (
          <Link href={`/monitors/${monitor.id}`} class="link">
            {monitor.name}
          </Link>
        ),
        failedChecks: plural(failedChecks, 'failed check'),
      })}
      actions={
        may('MEMBER') && (
          <>
            {mayAcknowledge && (
              <Button
                look="primary"
                icon={<Check />}
                busy={doing.busy !== null}
                onClick={() => void doing.run('acknowledge', acknowledge)}
              >
                {t('Acknowledge')}
              </Button>
            )}
            <Publish incidentId={id} monitorId={monitor.id} />
          </>
        )
      }
    >
      <ErrorNotice problem={doing.problem} class="mb-4" />
      {isOpen && <MutedNotice monitorId={monitor.id} />}
      {!isOpen && <Outlived incidentId={id} />}
      <FlappingNotice monitorId={monitor.id} changedAt={resolvedAt ?? incident.startedAt} />
      <IncidentFacts incident={incident} />
      <div class="grid grid-cols-1 gap-x-8 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div>
          <IncidentEvidence incident={incident} />
          <Timeline incident={incident} />
          <Failures incident={incident} />
        </div>
        <div>
          <Alerts incident={incident} />
          {may('ADMIN') && <ChangesAround incident={incident} />}
        </div>
      </div>
    </Page>
  )
}

/** Refetched with each check, because the event stream reports further failures as changes of the monitor. */
function useFailures({ monitor, resolvedAt }: Detail, onStale: () => void): void {
  const { data } = useGet(['monitor', monitor.id], '/api/v1/monitors/{monitorId}', {
    path: { monitorId: monitor.id },
    enabled: resolvedAt === null,
  })
  const checkedAt = data?.lastCheckedAt
  useEffect(() => {
    if (checkedAt !== undefined && resolvedAt === null) onStale()
  }, [checkedAt])
}

function IncidentFacts({ incident }: { incident: Detail }) {
  const now = useNow(1000)
  const { startedAt, resolvedAt, durationSec, cause, lastFailure, acknowledgedBy, acknowledgedAt } = incident
  const began = cause === null ? null : sentenceOf(incident, 'cause')
  const reason = resolvedAt === null ? sentenceOf(lastFailure, 'error') : began
  const lasted = durationSec ?? (now - new Date(startedAt).getTime()) / 1000
  return (
    <section aria-label={t('Status')} class="card mb-8 p-4 sm:p-5">
      <div aria-live="polite">
        <p class="flex flex-wrap items-baseline gap-x-3">
          {resolvedAt === null ? (
            <StateLabel state="DOWN" large />
          ) : (
            <LabelledShape look="UP" word={t('Resolved')} large />
          )}
          <span class="text-muted">
            {resolvedAt === null
              ? t('for {lasted}, since {startedAt}', { lasted: duration(lasted), startedAt: shortTime(startedAt) })
              : t('after {lasted}, from {startedAt} to {resolvedAt}', {
                  lasted: duration(lasted),
                  startedAt: dayAndTime(startedAt),
                  // The day and the zone are said once.
                  resolvedAt:
                    dayOf(startedAt) === dayOf(resolvedAt) ? timeOfDay(new Date(resolvedAt)) : shortTime(resolvedAt),
                })}
          </span>
        </p>
        <p class="mt-1 text-base">{reason ?? t('Check failed')}</p>
        {began !== null && began !== reason && (
          <p class="mt-1 text-muted">{t('Began as: {cause}', { cause: began })}</p>
        )}
        <p class="mt-1 text-muted">
          {acknowledgedAt === null
            ? resolvedAt === null
              ? t('Not acknowledged yet.')
              : t('Not acknowledged.')
            : t('{acknowledgedBy} on {acknowledgedAt}.', {
                acknowledgedBy: acknowledgement(acknowledgedBy),
                acknowledgedAt: shortTime(acknowledgedAt),
              })}
        </p>
        <PublishedAs incidentId={incident.id} />
      </div>
    </section>
  )
}

function acknowledgement(by: Detail['acknowledgedBy']): string {
  if (by === null) return t('Acknowledged')
  return by.type === 'API_KEY'
    ? t('Acknowledged with the API key “{name}”', { name: by.name })
    : t('Acknowledged by {name}', { name: by.name })
}

/** Leads to the form of a new published incident, or to the one that is not resolved yet. */
function Publish({ incidentId, monitorId }: { incidentId: string; monitorId: string }) {
  const published = usePublications(incidentId).data?.data.find(({ status }) => status !== 'RESOLVED')
  const href =
    published === undefined
      ? `/published/new?incidentId=${incidentId}&monitorId=${monitorId}`
      : `/published/${published.id}`
  return (
    <LinkButton href={href} icon={<Megaphone />}>
      {published === undefined ? t('Publish to status page') : t('Post an update')}
    </LinkButton>
  )
}

/** What was published about the incident and is not resolved with it. */
function Outlived({ incidentId }: { incidentId: string }) {
  const { data } = usePublications(incidentId)
  return data === undefined ? null : <OutlivedNotice ids={data.data.map(({ id }) => id)} />
}

/** Links to what was published about the incident. */
function PublishedAs({ incidentId }: { incidentId: string }) {
  const { data } = usePublications(incidentId)
  return (
    <>
      {data?.data.map(({ id, title, status }) => (
        <p key={id} class="mt-1 text-muted">
          {tx('Published as {link} ({value})', {
            link: (
              <Link href={`/published/${id}`} class="link">
                {title}
              </Link>
            ),
            value: incidentStatusLabels[status],
          })}
        </p>
      ))}
    </>
  )
}

function Failures({ incident: { firstFailure, lastFailure } }: { incident: Detail }) {
  const isOne = firstFailure.at === lastFailure.at
  return (
    <div>
      <Failure title={isOne ? t('Failure') : t('First failure')} failure={firstFailure} />
      {!isOne && <Failure title={t('Last failure')} failure={lastFailure} />}
    </div>
  )
}

function Failure({ title, failure }: { title: string; failure: PublicSchemas['IncidentFailure'] }) {
  const { at, statusCode, responseMs, ip, excerpt } = failure
  const facts = [
    ...(statusCode === null ? [] : [t('HTTP {statusCode}', { statusCode })]),
    ...(responseMs === null ? [] : [milliseconds(responseMs)]),
    ...(ip === null ? [] : [t('from {ip}', { ip })]),
  ]
  return (
    <Section title={title}>
      <div class="card space-y-2 p-4">
        <p class="font-medium text-down-text">{sentenceOf(failure, 'error')}</p>
        <p class="text-muted">
          <AbsoluteTime at={at} />
          {facts.length > 0 && `: ${separated(facts)}`}
        </p>
        {excerpt !== null && excerpt !== '' && (
          <CodeBlock text={excerpt} label={t('{title}: response body', { title })} wrap />
        )}
      </div>
    </Section>
  )
}
