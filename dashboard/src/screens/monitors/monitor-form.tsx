import { useId, useState } from 'preact/hooks'
import type { PublicSchemas } from '../../api/client.ts'
import { useOrganization } from '../../api/organization.tsx'
import { t, tx } from '../../lib/i18n.ts'
import { planLabels } from '../../lib/labels.ts'
import { FieldGroup } from '../../ui/field-group.tsx'
import { Form, TextField } from '../../ui/form.tsx'
import { InfoNotice } from '../../ui/notice.tsx'
import { RestoredNotice } from '../../ui/restored-notice.tsx'
import { useFormDraft } from '../../ui/use-form-draft.ts'
import { AddressField } from './address-field.tsx'
import { AdvancedFields } from './advanced-fields.tsx'
import { useContactChoice } from './contact-choice.tsx'
import { CopyAsCurl } from './copy-as-curl.tsx'
import { useIntervalLimits, useUsage } from './default-interval.ts'
import { bodyOf, type Draft } from './draft.ts'
import { DurationField } from './duration-field.tsx'
import { guessType, guessTypes, settingsFor, targetOf } from './guess-type.ts'
import { type LabelRow, useLabelChoice } from './label-editor.tsx'
import { isElsewhere } from './request-draft.ts'
import { type FieldsProps, TargetFields } from './target-fields.tsx'
import { TestedAssertions, TestSettings, useSettingsTest } from './test-settings.tsx'
import { hasField, type MonitorType, monitorTypes, targetField } from './types.ts'
import { noOptionChanges, type OptionChanges, useMonitorOptions } from './use-monitor-options.ts'

interface MonitorFormProps {
  readonly initial: Draft
  /** The monitor to edit; undefined for a new one. */
  readonly monitorId?: string
  /** Begins with one field for any address, which guesses the type. */
  readonly asksForAddress?: boolean
  /** The monitor that a new one copies. */
  readonly copiedFrom?: string
  readonly onSaved: (monitor: PublicSchemas['Monitor']) => void
  readonly onCancel: () => void
}

interface Values extends Draft {
  /** Null: the preselected ones. */
  readonly contactIds: readonly string[] | null
  /** Null: the stored ones. */
  readonly labels: readonly LabelRow[] | null
  readonly optionChanges: OptionChanges
}

/** Creates or edits a monitor. Shows the fields of its type and can test them before saving. */
export function MonitorForm({ initial, monitorId, copiedFrom, onSaved, onCancel, ...options }: MonitorFormProps) {
  const { asksForAddress = false } = options
  const { api, refresh } = useOrganization()
  const form = useFormDraft<Values>(
    `monitor.${monitorId ?? (copiedFrom === undefined ? 'new' : `copy-of-${copiedFrom}`)}`,
    { ...initial, contactIds: null, labels: null, optionChanges: noOptionChanges },
    withoutSecrets,
  )
  const { setDraft } = form
  const { contactIds, labels: labelRows, optionChanges, ...draft } = form.draft
  // A monitor whose options were refused exists already: saving again must not create another one.
  const [savedId, setSavedId] = useState(monitorId)
  const [isNamed, setNamed] = useState(draft.name !== '')
  const [address, setAddress] = useState(asksForAddress ? addressOf(draft) : null)
  const isMoved =
    monitorId !== undefined &&
    (draft.type === 'PORT'
      ? initial.host !== draft.host.trim() || initial.port !== draft.port
      : isElsewhere(initial.url, draft.url))
  const edited = { type: draft.type, monitorId, source: monitorId ?? copiedFrom, isMoved }
  const contacts = useContactChoice(contactIds, (next) => form.change({ contactIds: next }), edited)
  const labels = useLabelChoice(labelRows, (next) => form.change({ labels: next }), edited)
  const monitorOptions = useMonitorOptions(optionChanges, (next) => form.change({ optionChanges: next }), edited)
  const settingsTest = useSettingsTest(draft, monitorOptions.body, monitorId)
  const set = (change: Partial<Draft>) => setDraft((before) => withName({ ...before, ...change }, isNamed))
  const save = async () => {
    const { requestHeaders, ...others } = bodyOf(draft)
    // Headers that an earlier version stored may be larger than what is accepted now.
    const isKept = monitorId !== undefined && draft.requestHeaders === initial.requestHeaders
    const body = isKept ? others : { ...others, ...(requestHeaders !== undefined && { requestHeaders }) }
    const saved = await (savedId === undefined
      ? api.POST('/api/v1/monitors', { body })
      : api.PATCH('/api/v1/monitors/{monitorId}', { path: { monitorId: savedId }, body }))
    setSavedId(saved.id)
    await monitorOptions.save(saved.id)
    await contacts.save(saved.id)
    await labels.save(saved.id)
    form.saved()
    await refresh('monitor', 'contact', 'maintenance', 'status_page')
    onSaved(saved)
  }
  const isNew = monitorId === undefined
  return (
    <Form
      onSubmit={save}
      action={isNew ? t('Create monitor') : t('Save changes')}
      onCancel={onCancel}
      class="card max-w-3xl space-y-6 p-4 sm:p-6"
      extra={<CopyAsCurl draft={draft} options={monitorOptions.bodies} monitorId={monitorId} />}
    >
      <RestoredNotice form={form} />
      {isNew && <PlanUsage />}
      {address !== null && (
        <AddressField
          value={address}
          onValue={(typed, type) => {
            setAddress(typed)
            set(type === null ? { url: typed.trim(), host: typed.trim() } : targetOf(type, typed))
          }}
          path={targetField(draft.type) ?? 'url'}
          hint={t('Fills in the type and the name below')}
          required
        />
      )}
      <TypePicker
        value={draft.type}
        onValue={(type) => {
          // From now on the type is known, and its own fields are the ones to fill in, with what was typed.
          const typed = address ?? ''
          const guessed = guessTypes.find((value) => value === type)
          setAddress(null)
          set(typed.trim() === '' || guessed === undefined ? { type } : targetOf(guessed, typed))
        }}
      />
      <div class="space-y-4">
        {/* The address is asked for once. */}
        {address === null && <TargetFields draft={draft} set={set} />}
        <TextField
          label={t('Name')}
          path="name"
          value={draft.name}
          onValue={(name) => {
            setNamed(name !== '')
            form.change({ name })
          }}
          maxLength={120}
          autocomplete="off"
          required
        />
        {hasField(draft.type, 'intervalSeconds') && <Interval draft={draft} set={set} />}
      </div>
      {monitorOptions.dialogue.field}
      <AdvancedFields draft={draft} set={set}>
        {monitorOptions.others.fields}
      </AdvancedFields>
      <TestedAssertions field={monitorOptions.assertions.field} test={settingsTest} />
      {monitorOptions.request.field}
      {labels.field}
      {contacts.field}
      {draft.type !== 'CRON' && <TestSettings test={settingsTest} />}
    </Form>
  )
}

/** What a draft may keep in the browser. */
function withoutSecrets({ requestHeaders: _headers, requestBody: _body, optionChanges, ...open }: Partial<Values>) {
  return optionChanges === undefined
    ? open
    : { ...open, optionChanges: { ...optionChanges, request: null, dialogue: null } }
}

/** What was typed for this target. Null if its type has fields of its own. */
function addressOf({ type, url, host, port }: Draft): string | null {
  const text = hasField(type, 'port') && port !== null ? `${host}:${port}` : url || host
  return guessType(text) === type || (text === '' && type === 'HTTP') ? text : null
}

/** The target is the default name. */
function withName<T extends Draft>(draft: T, isNamed: boolean): T {
  if (isNamed) return draft
  const field = targetField(draft.type)
  const target = field === null ? '' : draft[field]
  const type = guessType(target)
  return { ...draft, name: type === null ? '' : settingsFor(type, target).name }
}

/** Warns if the plan allows no more monitors. */
function PlanUsage() {
  const { data } = useUsage()
  if (data === undefined || data.monitors.limit === null || data.monitors.used < data.monitors.limit) return null
  return (
    <InfoNotice>
      {tx('All {limit} monitors of the {value} plan are in use. Delete a monitor or upgrade the plan.', {
        limit: data.monitors.limit,
        value: planLabels[data.plan],
      })}
    </InfoNotice>
  )
}

function Interval({ draft, set }: FieldsProps) {
  const { limits, allowed } = useIntervalLimits()
  const isTooFast = draft.intervalSeconds !== null && draft.intervalSeconds < limits.min
  return (
    <DurationField
      label={t('Check interval')}
      path="intervalSeconds"
      value={draft.intervalSeconds}
      onValue={(intervalSeconds) => set({ intervalSeconds })}
      {...limits}
      hint={<span class={isTooFast ? 'text-down-text' : ''}>{allowed}</span>}
    />
  )
}

/** All monitor types with descriptions. */
function TypePicker({ value, onValue }: { value: MonitorType; onValue: (type: MonitorType) => void }) {
  const name = useId()
  return (
    <fieldset>
      <legend class="mb-1 font-medium">{t('Type')}</legend>
      <FieldGroup path="type" value={value}>
        <div class="grid grid-cols-[repeat(auto-fill,minmax(8.5rem,1fr))] gap-2">
          {monitorTypes.map((kind) => (
            <label
              key={kind.value}
              class="touch flex cursor-pointer items-center gap-2 rounded-md border border-line bg-surface px-3 py-2 hover:bg-ground has-checked:border-accent has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-accent"
            >
              <input
                type="radio"
                class="accent-accent"
                name={name}
                value={kind.value}
                checked={kind.value === value}
                onChange={() => onValue(kind.value)}
              />
              <span class="font-medium">{kind.label}</span>
            </label>
          ))}
        </div>
        <p class="mt-2 text-muted" aria-live="polite">
          {monitorTypes.find((kind) => kind.value === value)?.description}
        </p>
      </FieldGroup>
    </fieldset>
  )
}
