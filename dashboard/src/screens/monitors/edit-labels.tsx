import { useState } from 'preact/hooks'
import { useOrganization } from '../../api/organization.tsx'
import { t } from '../../lib/i18n.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Form } from '../../ui/form.tsx'
import { showToast } from '../../ui/toast.tsx'
import { LabelEditor, labelsOf, rowsOf } from './label-editor.tsx'

interface EditLabelsProps {
  readonly id: string
  readonly labels: Readonly<Record<string, string>>
  readonly onClose: () => void
}

/** Changes the labels of one monitor. */
export default function EditLabels({ id, labels, onClose }: EditLabelsProps) {
  const { api, refresh } = useOrganization()
  const [rows, setRows] = useState(rowsOf(labels))
  const save = async () => {
    const path = { monitorId: id }
    await api.PUT('/api/v1/monitors/{monitorId}/labels', { path, body: { labels: labelsOf(rows) } })
    await refresh('monitor', 'contact', 'maintenance', 'status_page')
    showToast(t('Labels saved'))
    onClose()
  }
  return (
    <Dialog title={t('Edit labels')} onClose={onClose}>
      <Form onSubmit={save} action={t('Save changes')} onCancel={onClose} class="space-y-5">
        <p class="text-muted">
          {t(
            'Labels group monitors, for example by team or environment. Filters, contacts and maintenance windows can use them.',
          )}
        </p>
        <LabelEditor rows={rows} onRows={setRows} />
      </Form>
    </Dialog>
  )
}
