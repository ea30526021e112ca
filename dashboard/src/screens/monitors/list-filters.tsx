import { BellOff, Download, Wrench } from 'lucide-preact'
import { useEffect, useId, useState } from 'preact/hooks'
import { MAX_SELECTOR_CHARS } from '../../../../src/lib/selector.ts'
import type { PublicSchemas } from '../../api/client.ts'
import { type KnownLabel, useKnownLabels } from '../../api/labels.ts'
import { useOrganization } from '../../api/organization.tsx'
import { download } from '../../lib/download.ts'
import { number } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { stateLabels } from '../../lib/labels.ts'
import { useRunningAction } from '../../lib/running-action.ts'
import { faultIn } from '../../lib/selector.ts'
import { Button } from '../../ui/button.tsx'
import { Select } from '../../ui/select.tsx'
import { SelectorSuggestions } from '../../ui/selector-field.tsx'
import { type State, StateShape } from '../../ui/state.tsx'
import { showToast } from '../../ui/toast.tsx'
import { type ChangeList, filterParams, firstOrder, groupLabel, type ListState, type SortKey } from './list-query.ts'
import { monitorTypes } from './types.ts'

interface ListFiltersProps {
  readonly list: ListState
  readonly onChange: ChangeList
  /** Undefined while the list is loading. */
  readonly counts: PublicSchemas['MonitorList']['counts'] | undefined
}

/** Pause in typing before the list is requested. */
const PAUSE_MS = 150

const offered = ['DOWN', 'DEGRADED', 'PENDING', 'UP', 'PAUSED'] as const satisfies readonly State[]

export function ListFilters({ list, onChange, counts }: ListFiltersProps) {
  const [text, setText] = useTyped(list.q, (q) => onChange({ q }))
  // Suggestions are requested when they may be needed: the list itself comes first.
  const [isUsed, setUsed] = useState(false)
  const [isOpen, setOpen] = useState(list.type !== '' || list.labels !== '')
  // Phones show the list first.
  const folded = isOpen ? '' : 'max-sm:hidden'
  const known = useKnownLabels(isUsed)
  return (
    <search
      class="mb-4 flex flex-wrap items-center gap-2"
      onFocusCapture={() => setUsed(true)}
      onPointerEnter={() => setUsed(true)}
    >
      <input
        class="input grow basis-40 sm:max-w-72"
        type="search"
        data-filter
        aria-label={t('Filter by name or target')}
        placeholder={t('Name or target  ( / )')}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <Button class="sm:hidden" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {t('Filters')}
      </Button>
      <Select
        class={`input w-auto ${folded}`}
        aria-label={t('Filter by type')}
        value={list.type}
        onValue={(type) => onChange({ type })}
        choices={[{ value: '', label: t('All types') }, ...monitorTypes]}
      />
      <div class={`relative grow basis-52 sm:max-w-72 ${folded}`}>
        <LabelFilter list={list} onChange={onChange} isUsed={isUsed} />
      </div>
      <div class={`flex gap-2 max-sm:basis-full lg:ms-auto ${folded}`}>
        <SortMenu list={list} onChange={onChange} />
        <Select<ListState['group']>
          // Labels that are loaded later do not widen it.
          class="input w-44 max-sm:w-0 max-sm:grow"
          aria-label={t('Group by')}
          value={list.group}
          onValue={(group) => onChange({ group, collapsed: [] })}
          choices={[
            { value: '', label: t('No groups') },
            { value: 'state', label: t('Group by status') },
            { value: 'type', label: t('Group by type') },
            ...groupKeys(known, list.group).map((label) => ({
              value: `label:${label}` as const,
              label: t('Group by label {label}', { label }),
            })),
          ]}
        />
        <ExportList list={list} isEmpty={counts?.total === 0} />
      </div>
      <StateFilter list={list} onChange={onChange} counts={counts} />
    </search>
  )
}

/** What is typed. `onPause` gets it after a pause, and puts it into the address, which can also change by itself: back, or a link. */
function useTyped(inAddress: string, onPause: (text: string) => void) {
  const [text, setText] = useState(inAddress)
  useEffect(() => {
    if (text === inAddress) return
    const timer = setTimeout(() => onPause(text), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text, inAddress])
  useEffect(() => setText(inAddress), [inAddress])
  return [text, setText] as const
}

/** The labels in use, and the one in the address. */
function groupKeys(known: readonly KnownLabel[], group: string): readonly string[] {
  const chosen = groupLabel(group)
  return [...new Set([...known.map(({ label }) => label), ...(chosen === undefined ? [] : [chosen])])]
}

/** A selector; the list follows when it is complete. */
function LabelFilter({ list, onChange, isUsed }: Pick<ListFiltersProps, 'list' | 'onChange'> & { isUsed: boolean }) {
  const id = useId()
  const known = useKnownLabels(isUsed)
  const apply = (typed: string) => {
    if (faultIn(typed) === undefined) onChange({ labels: typed.trim() })
  }
  const [text, setText] = useTyped(list.labels, (typed) => {
    if (!isBeginning(typed, known)) apply(typed)
  })
  const fault = faultIn(text)
  return (
    <>
      <input
        class="input"
        type="search"
        aria-label={t('Filter by labels')}
        aria-invalid={fault !== undefined}
        aria-describedby={fault === undefined ? undefined : `${id}-fault`}
        placeholder={t('Labels, such as team=payments')}
        list={`${id}-labels`}
        maxLength={MAX_SELECTOR_CHARS}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        // What was not applied because it could be the beginning of something.
        onBlur={() => apply(text)}
        onKeyDown={(event) => event.key === 'Enter' && apply(event.currentTarget.value)}
      />
      <SelectorSuggestions id={`${id}-labels`} enabled={isUsed} />
      {fault !== undefined && (
        // Above what is below, which must not move.
        <p
          id={`${id}-fault`}
          class="absolute inset-x-0 top-full z-10 mt-1 rounded-md border border-down bg-surface px-2 py-1 text-xs text-down-text shadow-sm"
        >
          {fault}
        </p>
      )}
    </>
  )
}

/** Whether the text ends with the beginning of a known label or value, such as "team=pay" of "team=payments". */
function isBeginning(text: string, known: readonly KnownLabel[]): boolean {
  const [, key = '', operator, value = ''] = /(?:^|,)\s*!?([^\s,=!()]+)\s*(?:(!?=)\s*([^,()]*))?$/.exec(text) ?? []
  const names =
    operator === undefined
      ? known.map(({ label }) => label)
      : (known.find(({ label }) => label === key)?.values ?? []).map(({ value }) => value)
  const typed = operator === undefined ? key : value.trim()
  return typed !== '' && !names.includes(typed) && names.some((name) => name.startsWith(typed))
}

function StateFilter({ list, onChange, counts }: ListFiltersProps) {
  const chosen = list.state.split(',').filter((one) => one !== '')
  const toggle = (one: string) => {
    const next = chosen.includes(one) ? chosen.filter((other) => other !== one) : [...chosen, one]
    onChange({ state: next.join(',') })
  }
  return (
    <fieldset class="flex min-w-0 basis-full gap-1 max-sm:-mx-4 max-sm:overflow-x-auto max-sm:px-4 sm:flex-wrap">
      <legend class="sr-only">{t('Filter by status')}</legend>
      {offered.map((one) => (
        <button
          key={one}
          type="button"
          aria-pressed={chosen.includes(one)}
          onClick={() => toggle(one)}
          class={pressable}
        >
          <StateShape state={one} size={10} />
          {stateLabels[one]}
          <span class="text-muted">{counts && number(counts[one.toLowerCase() as 'up'])}</span>
        </button>
      ))}
      {(list.maintenance || (counts?.maintenance ?? 0) > 0) && (
        <button
          type="button"
          aria-pressed={list.maintenance}
          onClick={() => onChange({ maintenance: !list.maintenance })}
          class={pressable}
        >
          <Wrench size={12} class="text-maintenance-text" />
          {t('In maintenance')}
          <span class="text-muted">{counts && number(counts.maintenance)}</span>
        </button>
      )}
      {list.uncovered && (
        <button type="button" aria-pressed={true} onClick={() => onChange({ uncovered: false })} class={pressable}>
          <BellOff size={12} class="text-degraded-text" />
          {t('No alert contact')}
        </button>
      )}
    </fieldset>
  )
}

const pressable = 'button shrink-0 px-2.5 aria-pressed:border-accent aria-pressed:bg-accent-soft'

const sortOptions: readonly { readonly value: SortKey; readonly label: string }[] = [
  { value: 'state', label: t('Problems first') },
  { value: 'name', label: t('Name') },
  { value: 'type', label: t('Type') },
  { value: 'uptime', label: t('Lowest uptime') },
  { value: 'response', label: t('Slowest') },
  { value: 'checked', label: t('Last checked') },
]

/** Where the column headings are not all shown. */
function SortMenu({ list, onChange }: Pick<ListFiltersProps, 'list' | 'onChange'>) {
  const isReversed = list.order !== firstOrder[list.sort]
  const label = `${sortOptions.find(({ value }) => value === list.sort)?.label} ↓`
  return (
    <Select<SortKey | 'reversed'>
      class="input w-auto max-sm:w-0 max-sm:grow @min-[900px]:hidden"
      aria-label={t('Sort by')}
      value={isReversed ? 'reversed' : list.sort}
      onValue={(sort) => sort !== 'reversed' && onChange({ sort, order: firstOrder[sort] })}
      choices={[...(isReversed ? [{ value: 'reversed' as const, label }] : []), ...sortOptions]}
    />
  )
}

/** Downloads the filtered list as CSV. */
function ExportList({ list, isEmpty }: { list: ListState; isEmpty: boolean }) {
  const { organization } = useOrganization()
  const running = useRunningAction()
  const exportList = async () => {
    const url = `/app/api/monitors.csv?${new URLSearchParams(filterParams(list))}`
    const response = await fetch(url, { headers: { 'X-Pharos-Organization': organization.id } }).catch(() => undefined)
    if (response?.ok !== true) {
      showToast(t('Export failed. Try again.'))
      return
    }
    download('monitors.csv', await response.blob())
  }
  return (
    <Button
      icon={<Download />}
      busy={running.busy !== null}
      disabled={isEmpty}
      title={t('Download these monitors as CSV')}
      onClick={() => void running.run('export', exportList)}
    >
      <span class="max-sm:sr-only">{t('Export')}</span>
    </Button>
  )
}
