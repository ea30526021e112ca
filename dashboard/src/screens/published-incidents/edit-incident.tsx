import { fieldErrorAt } from '../../api/api-error.ts'
import { useAllStatusPages, useMonitorNames } from '../../api/lists.ts'
import { useOrganization } from '../../api/organization.tsx'
import { localZone } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { timeFromInput, wallClockText } from '../../lib/time-zones.ts'
import { CheckboxList } from '../../ui/checkbox-list.tsx'
import { DraftDialog } from '../../ui/draft-dialog.tsx'
import { CheckboxField, TextField } from '../../ui/form.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useFormDraft } from '../../ui/use-form-draft.ts'
import { AffectedPicker, ImpactField, TitleField } from './incident-fields.tsx'
import { type Affected, changedAffected, type Impact, type Published } from './labels.tsx'

interface Values {
  readonly title: string
  readonly impact: Impact
  readonly statusPageIds: readonly string[]
  readonly affected: readonly Affected[]
  /** Of the date and time input. */
  readonly startedAt: string
  readonly notify: boolean
}

/** Edits an incident without adding an update. */
export function EditIncident({ incident, onClose }: { incident: Published; onClose: () => void }) {
  const { api, refresh } = useOrganization()
  const pages = useAllStatusPages()
  const monitors = useMonitorNames()
  const initialStart = wallClockText(Date.parse(incident.startedAt), localZone)
  const form = useFormDraft<Values>(`published.${incident.id}`, {
    title: incident.title,
    impact: incident.impact,
    statusPageIds: incident.statusPageIds,
    affected: incident.affectedMonitors,
    startedAt: initialStart,
    notify: false,
  })
  const { title, impact, statusPageIds, affected, startedAt, notify } = form.draft
  const save = async () => {
    if (statusPageIds.length === 0) throw fieldErrorAt('statusPageIds', t('choose at least one status page'))
    const moment = timeFromInput(startedAt, localZone)
    const body = {
      title,
      impact,
      statusPageIds: [...statusPageIds],
      notifySubscribers: notify,
      ...changedAffected(incident, affected),
      // Keeps an unchanged time, because the input has no seconds.
      ...(startedAt !== initialStart && moment !== undefined && { startedAt: new Date(moment).toISOString() }),
    }
    const path = { statusIncidentId: incident.id }
    await api.PATCH('/api/v1/status-incidents/{statusIncidentId}', { path, body })
    form.saved()
    showToast(t('Saved'))
    await refresh('status_incident', 'status_page')
    onClose()
  }
  return (
    <DraftDialog title={t('Edit incident')} form={form} onSubmit={save} action={t('Save')} onClose={onClose}>
      <TitleField {...form.field('title')} />
      <div class="grid gap-4 sm:grid-cols-2">
        <ImpactField {...form.field('impact')} />
        <TextField
          label={t('Started ({localZone})', { localZone })}
          {...form.field('startedAt')}
          type="datetime-local"
          required
        />
      </div>
      <CheckboxList
        label={t('Status pages')}
        options={pages.data ?? []}
        {...form.field('statusPageIds')}
        empty={t('No status pages yet')}
      />
      {incident.status !== 'RESOLVED' && (
        <AffectedPicker
          monitors={monitors.data ?? []}
          {...form.field('affected')}
          shown={new Set(monitors.data?.map(({ id }) => id))}
        />
      )}
      <CheckboxField label={t('Notify subscribers of this edit')} {...form.field('notify')} />
    </DraftDialog>
  )
}
