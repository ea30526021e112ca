import { useState } from 'preact/hooks'
import { fieldErrorAt } from '../../api/api-error.ts'
import { unwrap } from '../../api/client.ts'
import { useAllStatusPages, useMonitorNames } from '../../api/lists.ts'
import { useOrganization } from '../../api/organization.tsx'
import { localZone } from '../../lib/format.ts'
import { timeFromInput, wallClockText } from '../../lib/time-zones.ts'
import { CheckboxList } from '../../ui/checkbox-list.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { CheckboxField, FieldError, Form, SelectField, TextField } from '../../ui/form.tsx'
import { showToast } from '../../ui/toast.tsx'
import { AffectedPicker } from './affected-monitors.tsx'
import { type Affected, type Impact, impacts, type Published } from './labels.tsx'

/** Edits an incident without adding an update. */
export function EditIncident({ incident, onClose }: { incident: Published; onClose: () => void }) {
  const { api, refresh } = useOrganization()
  const pages = useAllStatusPages()
  const monitors = useMonitorNames()
  const began = wallClockText(Date.parse(incident.startedAt), localZone())
  const [title, setTitle] = useState(incident.title)
  const [impact, setImpact] = useState<Impact>(incident.impact)
  const [pageIds, setPageIds] = useState<readonly string[]>(incident.statusPageIds)
  const [affected, setAffected] = useState<readonly Affected[]>(incident.affectedMonitors)
  const [startedAt, setStartedAt] = useState(began)
  const [notify, setNotify] = useState(false)
  const save = async () => {
    if (pageIds.length === 0) throw fieldErrorAt('statusPageIds', 'choose at least one status page')
    const moment = timeFromInput(startedAt, localZone())
    const body = {
      title,
      impact,
      statusPageIds: [...pageIds],
      notifySubscribers: notify,
      ...(affected !== incident.affectedMonitors && { affectedMonitors: [...affected] }),
      // Keeps an unchanged time, because the input has no seconds.
      ...(startedAt !== began && moment !== undefined && { startedAt: new Date(moment).toISOString() }),
    }
    const path = { statusIncidentId: incident.id }
    await unwrap(api.PATCH('/api/v1/status-incidents/{statusIncidentId}', { params: { path }, body }))
    showToast('Saved')
    await refresh('status_incident', 'status_page')
    onClose()
  }
  return (
    <Dialog title="Edit incident" onClose={onClose}>
      <Form onSubmit={save} action="Save" onCancel={onClose}>
        <TextField label="Title" path="title" value={title} onValue={setTitle} required maxLength={200} />
        <div class="grid gap-4 sm:grid-cols-2">
          <SelectField label="Impact" path="impact" value={impact} onValue={setImpact} choices={impacts} />
          <TextField
            label={`Started (${localZone()})`}
            path="startedAt"
            type="datetime-local"
            value={startedAt}
            onValue={setStartedAt}
            required
          />
        </div>
        <CheckboxList
          label="Status pages"
          options={pages.data ?? []}
          chosen={pageIds}
          onChosen={setPageIds}
          empty="No status pages yet"
        />
        <FieldError path="statusPageIds" />
        {incident.status !== 'RESOLVED' && (
          <AffectedPicker
            monitors={monitors.data ?? []}
            value={affected}
            onValue={setAffected}
            shown={new Set(monitors.data?.map(({ id }) => id))}
          />
        )}
        <CheckboxField label="Notify subscribers of this edit" checked={notify} onValue={setNotify} />
      </Form>
    </Dialog>
  )
}
