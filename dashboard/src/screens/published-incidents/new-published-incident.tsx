import { useState } from 'preact/hooks'
import { useLocation, useSearch } from 'wouter-preact'
import { fieldErrorAt } from '../../api/api-error.ts'
import type { PublicSchemas } from '../../api/client.ts'
import { useGet } from '../../api/get.ts'
import { type MonitorName, useAllStatusPages, useMonitorNames } from '../../api/lists.ts'
import { useOrganization } from '../../api/organization.tsx'
import { t, tx } from '../../lib/i18n.ts'
import { LinkButton } from '../../ui/button.tsx'
import { CheckboxList } from '../../ui/checkbox-list.tsx'
import { CheckboxField, Form, TextAreaField } from '../../ui/form.tsx'
import { Markdown } from '../../ui/markdown.tsx'
import { EmptyState, ErrorNotice, InfoNotice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { RestoredNotice } from '../../ui/restored-notice.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useFormDraft } from '../../ui/use-form-draft.ts'
import {
  AffectedPicker,
  affectedNames,
  ImpactField,
  StatusStepper,
  TemplatePicker,
  TitleField,
  templatesFor,
} from './incident-fields.tsx'
import { type Affected, ConditionLabel, type Impact, ImpactLabel, type Status, StatusLabel } from './labels.tsx'

type StatusPage = PublicSchemas['StatusPage']

/** Publishes an incident, optionally for a detected one (`?incidentId=` or `?monitorId=`). */
export default function NewPublishedIncident() {
  const { may } = useOrganization()
  const search = new URLSearchParams(useSearch())
  const incidentId = search.get('incidentId') ?? ''
  const pages = useAllStatusPages()
  const monitors = useMonitorNames()
  const detected = useGet(['incident', incidentId], '/api/v1/incidents/{incidentId}', {
    path: { incidentId },
    enabled: incidentId !== '',
  })
  const isReady = incidentId === '' || detected.data !== undefined || detected.isError
  return (
    <Page title={t('Publish incident')} back={{ href: '/published', label: t('Published incidents') }}>
      {!may('MEMBER') && (
        <InfoNotice>{t('Viewers can’t publish incidents. Ask an admin for the Member role.')}</InfoNotice>
      )}
      {detected.isError && <ErrorNotice problem={detected.error} />}
      {may('MEMBER') && isReady && (
        <QueryResult query={pages}>
          {(list) =>
            list.length === 0 ? (
              <EmptyState
                title={t('No status pages yet')}
                action={<LinkButton href="/status-pages">{t('Create status page')}</LinkButton>}
              >
                {t('Incidents are published on status pages. Create one first.')}
              </EmptyState>
            ) : (
              <QueryResult query={monitors}>
                {(names) => (
                  <IncidentForm
                    pages={list}
                    monitors={names}
                    detected={detected.data}
                    monitorId={detected.data?.monitor.id ?? search.get('monitorId')}
                  />
                )}
              </QueryResult>
            )
          }
        </QueryResult>
      )}
    </Page>
  )
}

interface IncidentFormProps {
  readonly pages: readonly StatusPage[]
  readonly monitors: readonly MonitorName[]
  readonly detected: PublicSchemas['IncidentDetail'] | undefined
  readonly monitorId: string | null
}

function monitorIdsOn(page: StatusPage): readonly string[] {
  return page.sections.flatMap((section) => section.monitors.map((one) => one.monitorId))
}

interface Values {
  readonly title: string
  readonly status: Status
  readonly impact: Impact
  readonly statusPageIds: readonly string[]
  readonly affected: readonly Affected[]
  readonly notify: boolean
  readonly message: string
}

/** Initial values: the monitor and the pages that show it. */
function initialValues({ pages, monitors, monitorId, detected }: IncidentFormProps): Values {
  const monitor = monitors.find(({ id }) => id === monitorId)
  const shown = pages.filter((page) => monitor !== undefined && monitorIdsOn(page).includes(monitor.id))
  const chosen = shown.length > 0 ? shown : pages.length === 1 ? pages : []
  return {
    title: monitor === undefined ? '' : t('{name} outage', { name: monitor.name }),
    status: 'INVESTIGATING',
    impact: detected === undefined ? 'MINOR' : 'MAJOR',
    message: detected ? (templatesFor(affectedNames(monitor ? [monitor.name] : []))[0]?.message ?? '') : '',
    notify: true,
    statusPageIds: chosen.map(({ id }) => id),
    affected: monitor === undefined ? [] : [{ monitorId: monitor.id, status: 'MAJOR_OUTAGE' as const }],
  }
}

function IncidentForm(props: IncidentFormProps) {
  const { pages, monitors, detected } = props
  const { api, refresh } = useOrganization()
  const [, navigate] = useLocation()
  const [initial] = useState(() => initialValues(props))
  const form = useFormDraft(`published.new.${detected?.id ?? props.monitorId ?? ''}`, initial)
  const { title, status, impact, statusPageIds, affected, notify, message } = form.draft
  const nameOf = (id: string) => monitors.find((monitor) => monitor.id === id)?.name ?? t('Deleted monitor')
  const thing = affectedNames(affected.map(({ monitorId }) => nameOf(monitorId)))
  const shown = new Set(pages.filter(({ id }) => statusPageIds.includes(id)).flatMap(monitorIdsOn))
  const publish = async () => {
    if (statusPageIds.length === 0) throw fieldErrorAt('statusPageIds', t('choose at least one status page'))
    const published = await api.POST('/api/v1/status-incidents', {
      body: {
        title,
        status,
        impact,
        message,
        statusPageIds: [...statusPageIds],
        affectedMonitors: [...affected],
        incidentId: detected?.id ?? null,
        notifySubscribers: notify,
        ...(detected && { startedAt: detected.startedAt }),
      },
    })
    form.saved()
    showToast(t('Incident published'))
    void refresh('status_incident', 'status_page')
    navigate(`/published/${published.id}`)
  }
  return (
    <div class="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <Form onSubmit={publish} action={t('Publish')} class="card space-y-4 p-5">
        <RestoredNotice form={form} />
        {detected && (
          <InfoNotice>
            {tx('Prefilled from the {name} incident and linked to it.', {
              name: <strong>{detected.monitor.name}</strong>,
            })}
          </InfoNotice>
        )}
        <TitleField {...form.field('title')} />
        <StatusStepper {...form.field('status')} />
        <ImpactField {...form.field('impact')} />
        <TemplatePicker thing={thing} onPick={form.change} />
        <TextAreaField
          label={t('Message')}
          {...form.field('message')}
          rows={6}
          maxLength={5000}
          required
          hint={t('The first update. Markdown: **bold**, *italic*, lists, links.')}
        />
        <CheckboxList
          label={t('Status pages')}
          options={pages.map(({ id, name, published }) => ({
            id,
            name,
            ...(!published && { note: t('not published') }),
          }))}
          {...form.field('statusPageIds')}
          empty={t('No status pages yet')}
        />
        <AffectedPicker
          monitors={monitors}
          {...form.field('affected')}
          shown={statusPageIds.length === 0 ? null : shown}
        />
        <CheckboxField
          label={t('Notify subscribers')}
          {...form.field('notify')}
          hint={t('Applies to pages that visitors can subscribe to.')}
        />
      </Form>
      <Draft title={title} status={status} impact={impact} message={message} affected={affected} nameOf={nameOf} />
    </div>
  )
}

interface Props {
  readonly title: string
  readonly status: Status
  readonly impact: Impact
  readonly message: string
  readonly affected: readonly Affected[]
  readonly nameOf: (monitorId: string) => string
}

/** Preview of an incident next to its form. */
function Draft({ title, status, impact, message, affected, nameOf }: Props) {
  return (
    <section aria-label={t('Preview')} class="lg:sticky lg:top-6">
      <h2 class="mb-2 text-base font-semibold">{t('Preview')}</h2>
      <div class="card border-s-4 border-s-degraded p-4">
        <p class="text-base font-semibold">
          {title === '' ? <span class="text-muted">{t('No title yet')}</span> : title}
        </p>
        <p class="mt-1 flex flex-wrap gap-x-4">
          <StatusLabel status={status} />
          <ImpactLabel impact={impact} />
        </p>
        <div class="mt-3">
          {message.trim() === '' ? <p class="text-muted">{t('No message yet')}</p> : <Markdown text={message} />}
        </div>
        {affected.length > 0 && (
          <ul class="mt-3 space-y-1 border-t border-line pt-3">
            {affected.map((one) => (
              <li key={one.monitorId} class="flex flex-wrap justify-between gap-x-3">
                <span>{nameOf(one.monitorId)}</span>
                <ConditionLabel status={status === 'RESOLVED' ? 'OPERATIONAL' : one.status} />
              </li>
            ))}
          </ul>
        )}
      </div>
      <p class="mt-2 text-xs text-muted">{t('The status page uses its own colors and language.')}</p>
    </section>
  )
}
