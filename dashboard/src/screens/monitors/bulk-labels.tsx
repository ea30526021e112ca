import { useState } from 'preact/hooks'
import { useKnownLabels } from '../../api/labels.ts'
import { useOrganization } from '../../api/organization.tsx'
import { plural, t } from '../../lib/i18n.ts'
import { CheckboxList } from '../../ui/checkbox-list.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Form } from '../../ui/form.tsx'
import { showToast } from '../../ui/toast.tsx'
import { type BulkTarget, countOf, requireAll, useMonitorActions } from './actions.ts'
import { LabelEditor, type LabelRow, labelsOf } from './label-editor.tsx'

interface BulkLabelsProps {
  readonly target: BulkTarget
  readonly onClose: () => void
}

/** Adds labels to several monitors and removes labels from them. */
export default function BulkLabels({ target, onClose }: BulkLabelsProps) {
  const { refresh } = useOrganization()
  const { label } = useMonitorActions()
  const known = useKnownLabels()
  const [rows, setRows] = useState<readonly LabelRow[]>([['', '']])
  const [removed, setRemoved] = useState<readonly string[]>([])
  const save = async () => {
    const labels = { ...Object.fromEntries(removed.map((key) => [key, null])), ...labelsOf(rows) }
    if (Object.keys(labels).length === 0) throw new Error(t('Add a label, or choose labels to remove.'))
    const result = await label(target, labels)
    await refresh('monitor', 'contact', 'maintenance', 'status_page')
    requireAll(result, target)
    showToast(t('Labels of {length} saved', { length: plural(result.data.length, 'monitor') }))
    onClose()
  }
  return (
    <Dialog title={t('Labels of {length}', { length: plural(countOf(target), 'monitor') })} onClose={onClose}>
      <Form onSubmit={save} action={t('Save changes')} onCancel={onClose} class="space-y-5">
        <LabelEditor rows={rows} onRows={setRows} />
        {known.length > 0 && (
          <CheckboxList
            label={t('Remove')}
            options={known.map(({ label: key }) => ({ id: key, name: key }))}
            value={removed}
            onValue={setRemoved}
            empty=""
          />
        )}
      </Form>
    </Dialog>
  )
}
