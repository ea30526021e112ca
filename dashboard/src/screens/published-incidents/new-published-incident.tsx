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
import { EmptyState, ErrorNotice, InfoNotice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { RestoredNotice } from '../../ui/restored-notice.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useFormDraft } from '../../ui/use-form-draft.ts'
import { AffectedPicker } from './affected-monitors.tsx'
import { Draft } from './draft.tsx'
import { ImpactField, TitleField } from './incident-fields.tsx'
import type { Affected, Impact, Status } from './labels.tsx'
import { StatusStepper } from './status-stepper.tsx'
import { TemplatePicker } from './template-picker.tsx'
import { affectedNames, templatesFor } from './templates.ts'

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
        <TemplatePicker
          thing={thing}
          onPick={(template) => form.change({ status: template.status, message: template.message })}
        />
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
