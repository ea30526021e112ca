import { fieldErrorAt } from '../../api/api-error.ts'
import { useAllStatusPages } from '../../api/lists.ts'
import { t } from '../../lib/i18n.ts'
import { selectorIn } from '../../lib/selector.ts'
import { CheckboxList } from '../../ui/checkbox-list.tsx'
import { Chips } from '../../ui/chips.tsx'
import { FieldGroup } from '../../ui/field-group.tsx'
import { CheckboxField, Form, fieldsOf, NameField, TextAreaField, TextField } from '../../ui/form.tsx'
import { DriftWarning } from '../../ui/managed.tsx'
import { MonitorPicker } from '../../ui/monitor-picker.tsx'
import { RestoredNotice } from '../../ui/restored-notice.tsx'
import { SelectorField } from '../../ui/selector-field.tsx'
import { TimeZoneField } from '../../ui/time-zone-field.tsx'
import { useFormDraft } from '../../ui/use-form-draft.ts'
import { type Draft, presets } from './draft.ts'
import { RecurrenceFields } from './recurrence-fields.tsx'
import { UpcomingPreview } from './upcoming.tsx'

interface Props {
  readonly initial: Draft
  /** The window to edit; undefined for a new one. */
  readonly windowId?: string
  readonly onSave: (draft: Draft, saved: () => void) => Promise<unknown>
  readonly onCancel: () => void
}

/** Settings of a window with a summary. */
export function WindowForm({ initial, windowId, onSave, onCancel }: Props) {
  const form = useFormDraft(`maintenance.${windowId ?? 'new'}`, initial)
  const { draft, change } = form
  const isNew = windowId === undefined
  const save = async () => {
    // An existing window has its selector elsewhere.
    if (isNew && !draft.allMonitors && draft.monitorIds.length === 0 && selectorIn(draft.selector) === null) {
      throw fieldErrorAt('monitorIds', t('choose at least one monitor, all monitors, or a label selector'))
    }
    await onSave(draft, () => form.saved())
  }
  return (
    <div class="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <Form onSubmit={save} action={isNew ? t('Schedule') : t('Save')} onCancel={onCancel} class="card space-y-5 p-5">
        <RestoredNotice form={form} />
        {!isNew && <DriftWarning kind="maintenance" id={windowId} />}
        <NameField {...form.field('name')} placeholder={t('Database upgrade')} hint={t('Shown on status pages.')} />
        {isNew && (
          <Chips legend={t('When')} choices={presets} onPick={(preset) => change(preset(Date.now(), draft.timezone))} />
        )}
        <div class="grid gap-4 sm:grid-cols-2">
          <TextField label={t('Starts')} {...form.field('startsAt')} type="datetime-local" required />
          <TextField label={t('Ends')} {...form.field('endsAt')} type="datetime-local" required />
        </div>
        <TimeZoneField {...form.field('timezone')} />
        <RecurrenceFields draft={draft} onChange={change} />
        <Covered draft={draft} onChange={change} isNew={isNew} />
        <TextAreaField
          label={t('Description')}
          {...form.field('description')}
          rows={3}
          maxLength={2000}
          hint={t('What you’re doing and what visitors will notice. Optional.')}
        />
      </Form>
      <UpcomingPreview draft={draft} />
    </div>
  )
}

interface CoveredProps {
  readonly draft: Draft
  readonly onChange: (changes: Partial<Draft>) => void
  readonly isNew: boolean
}

function Covered({ draft, onChange, isNew }: CoveredProps) {
  const field = fieldsOf(draft, onChange)
  const pages = useAllStatusPages()
  return (
    <>
      <FieldGroup path="monitorIds" value={[draft.allMonitors, draft.monitorIds, draft.selector]} class="space-y-2">
        <CheckboxField label={t('All monitors')} hint={t('Includes monitors added later.')} {...field('allMonitors')} />
        {!draft.allMonitors && <MonitorPicker label={t('Monitors')} {...field('monitorIds')} />}
      </FieldGroup>
      {isNew && !draft.allMonitors && (
        <SelectorField
          label={t('Label selector')}
          {...field('selector')}
          hint={t('Also covers monitors whose labels match, including monitors labeled later.')}
        />
      )}
      <div>
        <CheckboxList
          label={t('Status pages')}
          options={pages.data ?? []}
          {...field('statusPageIds')}
          empty={t('No status pages yet')}
        />
        <p class="mt-1 text-xs text-muted">{t('Leave empty for every page that shows these monitors.')}</p>
      </div>
    </>
  )
}
