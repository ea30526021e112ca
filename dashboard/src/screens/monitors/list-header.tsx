import { ArrowDown, ArrowUp } from 'lucide-preact'
import { t } from '../../lib/i18n.ts'
import { type ChangeList, firstOrder, type ListState, type SortKey, sortLabels } from './list-query.ts'
import { areas } from './list-row.tsx'

interface ListHeaderProps {
  readonly list: ListState
  readonly onChange: ChangeList
  /** Undefined where nothing can be selected. */
  readonly selection?: { readonly shown: number; readonly ticked: number; readonly onChange: (isOn: boolean) => void }
}

/** The columns. Narrow lists show only the checkbox; the sort menu beside the filters replaces the rest. */
export function ListHeader({ list, onChange, selection }: ListHeaderProps) {
  const column = (sort: SortKey, className: string) => (
    <SortHeader sort={sort} list={list} onChange={onChange} class={className} />
  )
  return (
    <thead class={selection === undefined ? 'hidden @min-[700px]:block' : 'block'}>
      <tr class={`grid items-center gap-x-3 px-4 text-xs text-muted ${areas}`}>
        {selection === undefined ? <td class="[grid-area:check]" /> : <SelectAll {...selection} />}
        {column('state', '[grid-area:state]')}
        {column('name', '[grid-area:name]')}
        {column('type', 'hidden [grid-area:type] @min-[1300px]:block')}
        <th scope="col" class="hidden text-start font-medium [grid-area:bars] @min-[700px]:block">
          {t('Last 24 hours')}
        </th>
        {column('uptime', 'text-end [grid-area:uptime]')}
        {column('response', 'hidden text-end [grid-area:last] @min-[900px]:block')}
        {column('checked', 'hidden text-end [grid-area:checked] @min-[900px]:block')}
        <td class="hidden [grid-area:menu] @min-[700px]:block" />
      </tr>
    </thead>
  )
}

interface SortHeaderProps {
  readonly sort: SortKey
  readonly list: ListState
  readonly onChange: ChangeList
  readonly class: string
}

function SortHeader({ sort, list, onChange, class: className }: SortHeaderProps) {
  const isSorted = list.sort === sort
  const next = isSorted ? (list.order === 'asc' ? 'desc' : 'asc') : firstOrder[sort]
  const Arrow = list.order === 'asc' ? ArrowUp : ArrowDown
  const shown = className.includes('hidden') ? '' : 'hidden @min-[700px]:block'
  return (
    <th
      scope="col"
      class={`${className} ${shown} ${className.includes('text-end') ? '' : 'text-start'}`}
      aria-sort={isSorted ? (list.order === 'asc' ? 'ascending' : 'descending') : undefined}
    >
      <button
        type="button"
        class={`inline-flex cursor-pointer items-center gap-1 py-2 whitespace-nowrap hover:text-ink ${isSorted ? 'font-semibold text-ink' : 'font-medium'}`}
        onClick={() => onChange({ sort, order: next })}
      >
        {sortLabels[sort]}
        {isSorted && <Arrow size={12} />}
      </button>
    </th>
  )
}

function SelectAll(props: { shown: number; ticked: number; onChange: (isOn: boolean) => void }) {
  const { shown, ticked, onChange } = props
  return (
    <th scope="col" class="text-start font-medium [grid-column:1/-1] @min-[700px]:[grid-area:check]">
      <label class="touch flex items-center gap-3 py-2">
        <input
          type="checkbox"
          class="size-4 accent-accent"
          checked={shown > 0 && ticked === shown}
          indeterminate={ticked > 0 && ticked < shown}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        <span class="@min-[700px]:sr-only">{t('Select all on this page')}</span>
      </label>
    </th>
  )
}
