import { useEffect, useRef } from 'preact/hooks'
import { useMonitorNames } from '../../api/lists.ts'
import { useOrganization } from '../../api/organization.tsx'
import { t } from '../../lib/i18n.ts'
import { useSearchState } from '../../lib/search.ts'
import { Button } from '../../ui/button.tsx'
import { CheckboxField, Form, TextAreaField } from '../../ui/form.tsx'
import { MarkdownPreview } from '../../ui/markdown.tsx'
import { Section } from '../../ui/page.tsx'
import { RestoredNotice } from '../../ui/restored-notice.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useFormDraft } from '../../ui/use-form-draft.ts'
import { AffectedPicker, affectedNames, StatusStepper, TemplatePicker, templatesFor } from './incident-fields.tsx'
import { type Affected, changedAffected, type Published, type Status } from './labels.tsx'

interface Values {
  readonly status: Status
  readonly message: string
  readonly affected: readonly Affected[]
  readonly notify: boolean
}

/** Posts an update. */
export function PostUpdate({ incident }: { incident: Published }) {
  const { api, refresh } = useOrganization()
  const monitors = useMonitorNames()
  const place = useRef<HTMLDivElement>(null)
  const form = useFormDraft<Values>(`published.update.${incident.id}`, {
    status: incident.status,
    message: '',
    affected: incident.affectedMonitors,
    notify: true,
  })
  const { status, message, affected, notify } = form.draft
  const nameOf = (id: string) => monitors.data?.find((monitor) => monitor.id === id)?.name ?? ''
  const thing = affectedNames(
    incident.affectedMonitors.map((one) => nameOf(one.monitorId)).filter((name) => name !== ''),
  )
  const isOver = incident.status === 'RESOLVED'
  const post = async () => {
    const body = { status, message, notifySubscribers: notify, ...changedAffected(incident, affected) }
    const path = { statusIncidentId: incident.id }
    await api.POST('/api/v1/status-incidents/{statusIncidentId}/updates', { path, body })
    form.saved()
    showToast(status === 'RESOLVED' ? t('Incident resolved') : t('Update posted'))
    await refresh('status_incident', 'status_page', 'incident')
  }
  const resolve = () => {
    form.change({ status: 'RESOLVED', ...(message === '' && { message: templatesFor(thing).at(-1)?.message ?? '' }) })
    place.current?.querySelector('textarea')?.focus()
  }
  const [search] = useSearchState()
  const isAsked = search.has('resolve') && !isOver
  useEffect(() => {
    if (isAsked) resolve()
  }, [isAsked])
  return (
    <Section
      title={t('Post an update')}
      lead={isOver ? t('Any status other than Resolved reopens the incident.') : undefined}
      actions={!isOver && status !== 'RESOLVED' && <Button onClick={resolve}>{t('Resolve…')}</Button>}
    >
      <div ref={place}>
        <Form
          onSubmit={post}
          action={status === 'RESOLVED' && !isOver ? t('Resolve') : t('Post update')}
          class="card space-y-4 p-4"
        >
          <RestoredNotice form={form} />
          <StatusStepper {...form.field('status')} />
          <TemplatePicker thing={thing} onPick={form.change} />
          <TextAreaField label={t('Message')} {...form.field('message')} maxLength={5000} required />
          <MarkdownPreview text={message} />
          {status !== 'RESOLVED' && (
            <details>
              <summary class="touch cursor-pointer py-1">{t('Change affected monitors')}</summary>
              <div class="mt-2">
                <AffectedPicker
                  monitors={monitors.data ?? []}
                  {...form.field('affected')}
                  shown={new Set(monitors.data?.map(({ id }) => id))}
                />
              </div>
            </details>
          )}
          <CheckboxField label={t('Notify subscribers')} {...form.field('notify')} />
        </Form>
      </div>
    </Section>
  )
}
