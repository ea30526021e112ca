import { useState } from 'preact/hooks'
import { Link, useLocation } from 'wouter-preact'
import { useGet } from '../../api/get.ts'
import { useAllStatusPages, useMonitorNames } from '../../api/lists.ts'
import { useOrganization } from '../../api/organization.tsx'
import { duration } from '../../lib/format.ts'
import { plural, t, tx } from '../../lib/i18n.ts'
import { useNow } from '../../lib/use-now.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmButton } from '../../ui/dialog.tsx'
import { Markdown } from '../../ui/markdown.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { AbsoluteTime } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import { EditIncident } from './edit-incident.tsx'
import { StatusSteps } from './incident-fields.tsx'
import { ConditionLabel, ImpactLabel, type Published, StatusLabel } from './labels.tsx'
import { OutlivedNotice } from './outlived-notice.tsx'
import { PostMortem } from './post-mortem.tsx'
import { PostUpdate } from './post-update.tsx'

const back = { href: '/published', label: t('Published incidents') }

export default function PublishedIncident({ id }: { id: string }) {
  const incident = useGet(['status_incident', id], '/api/v1/status-incidents/{statusIncidentId}', {
    path: { statusIncidentId: id },
  })
  if (incident.data !== undefined) return <View incident={incident.data} />
  return <ResourcePage query={incident} title={t('Published incident')} back={back} />
}

function View({ incident }: { incident: Published }) {
  const { may } = useOrganization()
  const [isEditing, setEditing] = useState(false)
  const mayWrite = may('MEMBER')
  const isOver = incident.status === 'RESOLVED'
  return (
    <Page
      title={incident.title}
      back={back}
      lead={<IncidentSummary incident={incident} />}
      actions={
        mayWrite && (
          <>
            <Button onClick={() => setEditing(true)}>{t('Edit')}</Button>
            <DeleteButton incident={incident} />
          </>
        )
      }
    >
      {!isOver && <OutlivedNotice ids={[incident.id]} />}
      {/* The form contains the same steps as radio buttons. */}
      {(isOver || !mayWrite) && <StatusSteps value={incident.status} />}
      <div class="grid grid-cols-1 items-start gap-x-8 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div>
          {mayWrite && !isOver && <PostUpdate key={incident.updates[0]?.id} incident={incident} />}
          <Timeline incident={incident} />
          {mayWrite && isOver && <PostUpdate key={incident.updates[0]?.id} incident={incident} />}
        </div>
        <div>
          <Facts incident={incident} />
          <PostMortem incident={incident} />
        </div>
      </div>
      {isEditing && <EditIncident incident={incident} onClose={() => setEditing(false)} />}
    </Page>
  )
}

/** "Major impact, for 14 min so far." */
function IncidentSummary({ incident }: { incident: Published }) {
  const now = useNow()
  const end = incident.resolvedAt === null ? now : Date.parse(incident.resolvedAt)
  const seconds = (end - Date.parse(incident.startedAt)) / 1000
  const took = duration(seconds)
  return (
    <span class="flex flex-wrap gap-x-4 gap-y-1">
      <StatusLabel status={incident.status} />
      <ImpactLabel impact={incident.impact} />
      <span>
        {incident.resolvedAt !== null
          ? t('resolved after {took}', { took })
          : seconds < 5
            ? t('just started')
            : t('ongoing for {took}', { took })}
      </span>
    </span>
  )
}

function Timeline({ incident }: { incident: Published }) {
  return (
    <Section title={t('Updates')} lead={t('Newest first')}>
      <ol class="space-y-4 border-s-2 border-line ps-5">
        {incident.updates.map((update) => (
          <li key={update.id} class="relative">
            <span class="absolute top-1.5 -left-[1.65rem] size-2.5 rounded-full bg-accent" aria-hidden="true" />
            <p class="mb-1 flex flex-wrap gap-x-3">
              <StatusLabel status={update.status} />
              <span class="text-muted">
                <AbsoluteTime at={update.publishedAt} />
              </span>
            </p>
            <Markdown text={update.message} />
          </li>
        ))}
      </ol>
    </Section>
  )
}

function Facts({ incident }: { incident: Published }) {
  const pages = useAllStatusPages()
  const monitors = useMonitorNames()
  const on = pages.data?.filter(({ id }) => incident.statusPageIds.includes(id)) ?? []
  return (
    <Section title={t('Details')}>
      <dl class="card space-y-3 p-4">
        <Fact name={t('Started')}>
          <AbsoluteTime at={incident.startedAt} />
        </Fact>
        {incident.resolvedAt !== null && (
          <Fact name={t('Resolved')}>
            <AbsoluteTime at={incident.resolvedAt} />
          </Fact>
        )}
        <Fact name={t('Published on')}>
          {incident.statusPageIds.length === 0 && t('No status page. Edit the incident to choose one.')}
          <ul>
            {on.map((page) => (
              <li key={page.id}>
                <a class="link" href={`${page.url}/incidents/${incident.id}`} target="_blank" rel="noreferrer">
                  {page.name} ↗
                </a>
                {!page.published && <span class="text-muted"> {t('(not published)')}</span>}
              </li>
            ))}
          </ul>
        </Fact>
        <Fact name={t('Affected monitors')}>
          {incident.affectedMonitors.length === 0 && t('None')}
          <ul class="space-y-1">
            {incident.affectedMonitors.map(({ monitorId, status }) => (
              <li key={monitorId} class="flex flex-wrap justify-between gap-x-3">
                <Link href={`/monitors/${monitorId}`} class="link">
                  {monitors.data?.find(({ id }) => id === monitorId)?.name ?? t('Monitor')}
                </Link>
                <ConditionLabel status={status} />
              </li>
            ))}
          </ul>
        </Fact>
        {incident.incidentId !== null && (
          <Fact name={t('Linked incident')}>
            <Link href={`/incidents/${incident.incidentId}`} class="link">
              {t('View incident')}
            </Link>
          </Fact>
        )}
      </dl>
    </Section>
  )
}

function Fact({ name, children }: { name: string; children: preact.ComponentChildren }) {
  return (
    <div>
      <dt class="text-xs text-muted">{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function DeleteButton({ incident }: { incident: Published }) {
  const { api, refresh } = useOrganization()
  const [, navigate] = useLocation()
  const remove = async () => {
    const path = { statusIncidentId: incident.id }
    await api.DELETE('/api/v1/status-incidents/{statusIncidentId}', { path })
    showToast(t('Incident deleted'))
    navigate('/published')
    void refresh('status_incident', 'status_page')
  }
  return (
    <ConfirmButton
      label={t('Delete')}
      look="danger"
      title={t('Delete this incident?')}
      action={t('Delete permanently')}
      onConfirm={remove}
    >
      <p>
        {tx(
          '{name} and its {updates} are removed from every status page and its history. Subscribers aren’t notified. If the incident is over, resolve it instead.',
          {
            name: <strong>{incident.title}</strong>,
            updates: plural(incident.updates.length, 'update'),
          },
        )}
      </p>
    </ConfirmButton>
  )
}
