import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { number } from '../lib/format.ts'
import { t, tx } from '../lib/i18n.ts'
import { FieldGroup } from './field-group.tsx'
import { Filter } from './filter.tsx'

interface PickerProps {
  readonly label: string
  /** Path of the list in error details. */
  readonly path?: string | undefined
  readonly value: readonly unknown[]
  /** False: the list is too short for one. */
  readonly hasFilter: boolean
  readonly filter: string
  readonly onFilter: (text: string) => void
  /** Height and padding of the part that scrolls. */
  readonly class?: string
  readonly children: ComponentChildren
}

/** The frame of a list to pick from: label, number of picked entries, filter, and a part that scrolls. */
export function Picker(props: PickerProps) {
  const { label, path, value, hasFilter, filter, onFilter, class: className = 'max-h-60 p-2', children } = props
  return (
    <fieldset class="rounded-md border border-line">
      <legend class="ms-2 px-1 font-medium">
        {label}{' '}
        <span class="font-normal text-muted">{tx('({length} selected)', { length: number(value.length) })}</span>
      </legend>
      <FieldGroup path={path} value={value} inset>
        {hasFilter && (
          <Filter label={t('Filter {label}', { label: label.toLowerCase() })} value={filter} onValue={onFilter} />
        )}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable with the keyboard */}
        <div class={`overflow-y-auto ${className}`} tabIndex={0}>
          {children}
        </div>
      </FieldGroup>
    </fieldset>
  )
}

interface PickOption {
  readonly id: string
  readonly name: string
  readonly note?: string
}

interface PickOptionsProps {
  readonly options: readonly PickOption[]
  readonly value: readonly string[]
  readonly onValue: (ids: readonly string[]) => void
}

/** A checkbox for each option. */
export function PickOptions({ options, value, onValue }: PickOptionsProps) {
  const picked = new Set(value)
  return (
    <>
      {options.map(({ id, name, note }) => (
        <label key={id} class="touch flex items-center gap-2 rounded px-2 py-1 hover:bg-ground">
          <input
            type="checkbox"
            class="size-4 shrink-0 accent-accent"
            checked={picked.has(id)}
            onChange={({ currentTarget: { checked } }) =>
              onValue(checked ? [...value, id] : value.filter((other) => other !== id))
            }
          />
          <span class="min-w-0 grow">{name}</span>
          {note !== undefined && <span class="shrink-0 text-xs whitespace-nowrap text-muted">{note}</span>}
        </label>
      ))}
    </>
  )
}

interface CheckboxListProps extends PickOptionsProps, Pick<PickerProps, 'label' | 'path'> {
  readonly empty: string
}

/** A list of checkboxes, with a filter if it is long. */
export function CheckboxList({ label, path, options, value, onValue, empty }: CheckboxListProps) {
  const [filter, setFilter] = useState('')
  const wanted = filter.trim().toLowerCase()
  const shown = options.filter(({ name }) => name.toLowerCase().includes(wanted))
  return (
    <Picker label={label} path={path} value={value} hasFilter={options.length > 8} filter={filter} onFilter={setFilter}>
      {shown.length === 0 && <p class="p-2 text-muted">{options.length === 0 ? empty : t('No matches')}</p>}
      <PickOptions options={shown} value={value} onValue={onValue} />
    </Picker>
  )
}
