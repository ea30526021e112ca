import { useId, useState } from 'preact/hooks'
import type { MonitorName } from '../../api/lists.ts'
import { listOf } from '../../lib/format.ts'
import { t, tx } from '../../lib/i18n.ts'
import { Picker } from '../../ui/checkbox-list.tsx'
import { Chips } from '../../ui/chips.tsx'
import { SelectField, TextField } from '../../ui/form.tsx'
import { Select } from '../../ui/select.tsx'
import { type Affected, conditions, type Impact, impacts, type Status, statuses } from './labels.tsx'

interface FieldProps<T> {
  readonly value: T
  readonly onValue: (next: T) => void
}

export function TitleField({ value, onValue }: FieldProps<string>) {
  return <TextField label={t('Title')} path="title" value={value} onValue={onValue} required maxLength={200} />
}

export function ImpactField({ value, onValue }: FieldProps<Impact>) {
  return <SelectField label={t('Impact')} path="impact" value={value} onValue={onValue} choices={impacts} />
}

/** Status as native radio buttons in the form of steps. */
export function StatusStepper({ value, onValue }: { value: Status; onValue: (status: Status) => void }) {
  const name = useId()
  const at = statuses.findIndex((one) => one.value === value)
  return (
    <fieldset>
      <legend class="mb-1 font-medium">{t('Status')}</legend>
      <div class="@container">
        <div class="grid grid-cols-2 gap-1 @2xl:grid-cols-4">
          {statuses.map((status, i) => (
            <label
              key={status.value}
              class={`touch flex cursor-pointer items-center gap-1.5 border-t-4 px-1.5 py-2 focus-within:outline-2 focus-within:outline-accent ${i <= at ? 'border-accent' : 'border-line'} ${i === at ? 'bg-accent-soft font-semibold text-accent' : 'text-muted hover:bg-ground'}`}
            >
              <input
                type="radio"
                class="size-4 shrink-0 accent-accent"
                name={name}
                checked={i === at}
                onChange={() => onValue(status.value)}
              />
              {status.label}
            </label>
          ))}
        </div>
      </div>
    </fieldset>
  )
}

/** The same steps, read-only. */
export function StatusSteps({ value }: { value: Status }) {
  const at = statuses.findIndex((one) => one.value === value)
  return (
    <ol class="mb-6 grid grid-cols-4 gap-1" aria-label={t('Status')}>
      {statuses.map((status, i) => (
        <li
          key={status.value}
          aria-current={i === at ? 'step' : undefined}
          class={`border-t-4 pt-1 text-xs sm:text-sm ${i <= at ? 'border-accent' : 'border-line'} ${i === at ? 'font-semibold text-accent' : 'text-muted'}`}
        >
          {status.label}
        </li>
      ))}
    </ol>
  )
}

interface TemplatePickerProps {
  readonly thing: string
  readonly onPick: (template: { readonly status: Status; readonly message: string }) => void
}

/** Fills in status and message from a template. */
export function TemplatePicker({ thing, onPick }: TemplatePickerProps) {
  const hint = <span class="font-normal text-muted">{t('(sets status and message)')}</span>
  return (
    <Chips
      legend={tx('Use a template {part}', { part: hint })}
      choices={templatesFor(thing).map(({ name, ...template }) => [name, template])}
      onPick={onPick}
    />
  )
}

interface Template {
  readonly name: string
  readonly status: Status
  readonly message: string
}

/** Message templates. `THING` is replaced by the affected monitors. */
const templates: readonly Template[] = [
  {
    name: t('Investigating'),
    status: 'INVESTIGATING',
    message: t('We are investigating a problem with THING. Next update within 30 minutes.'),
  },
  {
    name: t('Identified'),
    status: 'IDENTIFIED',
    message: t('We have identified the cause of the problem with THING and are working on a fix.'),
  },
  {
    name: t('Provider outage'),
    status: 'IDENTIFIED',
    message: t(
      'THING is affected by an outage at one of our providers. We are in contact with them and are following their progress.',
    ),
  },
  {
    name: t('Monitoring a fix'),
    status: 'MONITORING',
    message: t('A fix is in place and THING is recovering. We are monitoring the results.'),
  },
  {
    name: t('Resolved'),
    status: 'RESOLVED',
    message: t('THING is working normally again. We apologize for the disruption.'),
  },
]

/** Templates with the affected monitors filled in, capitalised at the start of a sentence. */
export function templatesFor(thing: string): readonly Template[] {
  return templates.map(({ message, ...rest }) => ({
    ...rest,
    message: message.replace(/^THING/, thing === unnamed ? t('The service') : thing).replaceAll('THING', thing),
  }))
}

/** For more than two monitors. */
const unnamed = t('the service')

/** "Checkout", "Checkout and API", or "the service" for more. */
export function affectedNames(names: readonly string[]): string {
  return names.length === 0 || names.length > 2 ? unnamed : listOf(names)
}

/** Longer lists get a filter. */
const MOST_SHOWN = 60

interface AffectedPickerProps {
  readonly monitors: readonly MonitorName[]
  readonly value: readonly Affected[]
  readonly onValue: (affected: readonly Affected[]) => void
  /** Monitors of the chosen pages come after those that were affected when the form opened; null if no page is chosen. */
  readonly shown: ReadonlySet<string> | null
}

/** Affected monitors and their status. */
export function AffectedPicker({ monitors, value, onValue, shown }: AffectedPickerProps) {
  const [filter, setFilter] = useState('')
  const wanted = filter.trim().toLowerCase()
  const status = new Map(value.map((one) => [one.monitorId, one.status]))
  // Fixed when the form opens, so that rows do not move while they are edited.
  const [chosenFirst] = useState(() => new Set(value.map(({ monitorId }) => monitorId)))
  const rank = ({ id }: MonitorName) => (chosenFirst.has(id) ? 0 : shown?.has(id) ? 1 : 2)
  const ordered = monitors.toSorted((a, b) => rank(a) - rank(b))
  const matching = ordered.filter(({ name }) => name.toLowerCase().includes(wanted))
  const list = matching.filter(({ id: one }, i) => i < MOST_SHOWN || status.has(one))
  const change = (monitorId: string, next: Affected['status'] | '') => {
    const others = value.filter((one) => one.monitorId !== monitorId)
    onValue(next === '' ? others : [...others, { monitorId, status: next }])
  }
  return (
    <Picker
      label={t('Affected monitors')}
      path="affectedMonitors"
      value={value}
      hasFilter={monitors.length > 6}
      filter={filter}
      onFilter={setFilter}
      class="max-h-64 py-1"
    >
      {list.length < matching.length && (
        <p class="px-3 py-1 text-xs text-muted">
          {tx('{value} more. Use the filter to find them.', { value: matching.length - list.length })}
        </p>
      )}
      {list.length === 0 && <p class="px-3 py-2 text-muted">{t('No monitors')}</p>}
      {list.map(({ id: monitorId, name }) => (
        <div key={monitorId} class="flex flex-wrap items-center gap-2 px-3 py-1">
          <span class="min-w-0 grow basis-40">
            {name}
            {shown?.has(monitorId) === false && <span class="text-xs text-muted"> {t('· not on these pages')}</span>}
          </span>
          <Select
            class="input w-40!"
            aria-label={t('Status of {name}', { name })}
            value={status.get(monitorId) ?? ''}
            onValue={(next) => change(monitorId, next)}
            choices={[{ value: '', label: t('Not affected') }, ...conditions]}
          />
        </div>
      ))}
    </Picker>
  )
}
