import { useState } from 'preact/hooks'
import { t, tx } from '../lib/i18n.ts'
import { FieldGroup } from './field-group.tsx'
import { Filter } from './filter.tsx'

interface PickProps {
  readonly label: string
  /** Path of the list in error details. */
  readonly path?: string
  readonly options: readonly { readonly id: string; readonly name: string; readonly note?: string }[]
  readonly value: readonly string[]
  readonly onValue: (ids: readonly string[]) => void
  readonly empty: string
}

/** A list of checkboxes, with a filter if it is long. */
export function CheckboxList({ label, path, options, value, onValue, empty }: PickProps) {
  const [filter, setFilter] = useState('')
  const wanted = filter.trim().toLowerCase()
  const shown = options.filter(({ name }) => name.toLowerCase().includes(wanted))
  const picked = new Set(value)
  const toggle = (one: string, isOn: boolean) =>
    onValue(isOn ? [...value, one] : value.filter((other) => other !== one))
  return (
    <fieldset class="rounded-md border border-line">
      <legend class="ms-2 px-1 font-medium">
        {label} <span class="font-normal text-muted">{tx('({length} selected)', { length: value.length })}</span>
      </legend>
      <FieldGroup path={path} value={value} inset>
        {options.length > 8 && (
          <Filter label={t('Filter {label}', { label: label.toLowerCase() })} value={filter} onValue={setFilter} />
        )}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable with the keyboard */}
        <div class="max-h-60 overflow-y-auto p-2" tabIndex={0}>
          {shown.length === 0 && <p class="p-2 text-muted">{options.length === 0 ? empty : t('No matches')}</p>}
          {shown.map((option) => (
            <label key={option.id} class="touch flex items-center gap-2 rounded px-2 py-1 hover:bg-ground">
              <input
                type="checkbox"
                class="size-4 shrink-0 accent-accent"
                checked={picked.has(option.id)}
                onChange={(event) => toggle(option.id, event.currentTarget.checked)}
              />
              <span class="min-w-0 grow">{option.name}</span>
              {option.note !== undefined && (
                <span class="shrink-0 text-xs whitespace-nowrap text-muted">{option.note}</span>
              )}
            </label>
          ))}
        </div>
      </FieldGroup>
    </fieldset>
  )
}
