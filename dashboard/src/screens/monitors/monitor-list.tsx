import { ChevronDown, ChevronRight } from 'lucide-preact'
import { useRef, useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import type { PublicSchemas } from '../../api/client.ts'
import { useOrganization } from '../../api/organization.tsx'
import { number } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { stateLabels } from '../../lib/labels.ts'
import { type RunningAction, useRunningAction } from '../../lib/running-action.ts'
import { absentTerm, describeTerm, termFor, withTerm } from '../../lib/selector.ts'
import { useRowKeys, useShortcuts } from '../../lib/shortcuts.ts'
import { ErrorNotice } from '../../ui/notice.tsx'
import { type State, StateShape } from '../../ui/state.tsx'
import { showToast } from '../../ui/toast.tsx'
import { canCheck, pauseAction, useMonitorActions } from './actions.ts'
import { BulkActions } from './bulk-actions.tsx'
import type { NamedMonitor } from './delete-later.ts'
import { DeleteMonitor } from './delete-monitor.tsx'
import { ListHeader } from './list-header.tsx'
import { type ChangeList, groupLabel, isFiltered, type ListState } from './list-query.ts'
import { type ListedMonitor, ListRow } from './list-row.tsx'
import { type RowAction, RowMenu, type RowMenuTarget } from './row-menu.tsx'
import { usePointerOrFocus, useStableOrder } from './stable-order.ts'
import { type MonitorType, typeLabel } from './types.ts'

/** The most that one bulk action accepts. */
const MOST_SELECTED = 1_000

interface MonitorListProps {
  readonly monitorList: PublicSchemas['MonitorList']
  readonly rows: readonly ListedMonitor[]
  readonly list: ListState
  readonly onChange: ChangeList
  /** Changes with the filters, the order and the page. */
  readonly listKey: string
  readonly isOld: boolean
}

/** The table of monitors, with selection, row menus and keyboard shortcuts. */
export function MonitorList({ monitorList, rows, list, onChange, listKey, isOld }: MonitorListProps) {
  const { may } = useOrganization()
  const card = useRef<HTMLDivElement>(null)
  const doing = useRunningAction()
  const [selected, setSelected] = useState<ReadonlyMap<string, NamedMonitor>>(new Map())
  const [epoch, setEpoch] = useState(0)
  const { isInside, handlers } = usePointerOrFocus(card)
  const shown = useStableOrder(rows, isInside, `${listKey} ${epoch}`)
  const mayChange = may('MEMBER')
  const menu = useRowMenu(doing)
  const select = (monitors: readonly NamedMonitor[], isOn: boolean) => setSelected(changed(selected, monitors, isOn))
  useListKeys(
    card,
    shown.map(({ row }) => row),
    doing,
  )
  const groupOf = ({ heldAs }: (typeof shown)[number]) => groupOfRow(heldAs, list.group)
  const sections = sectionsOf(shown, groupOf, monitorList.groups, list.collapsed, monitorList.pagination)
  const tableRows = (some: typeof shown) =>
    some.map(({ row, isGone }) => (
      <ListRow
        key={row.id}
        monitor={row}
        isGone={isGone}
        isSelected={mayChange ? selected.has(row.id) : undefined}
        onSelect={(isSelected) => select([row], isSelected)}
        onMenu={mayChange ? (opener) => menu.open({ monitor: row, opener }) : undefined}
        onLabel={(label, value) => onChange({ labels: withTerm(list.labels, label, value) })}
      />
    ))
  return (
    <>
      <ErrorNotice problem={doing.problem} class="mb-3" />
      {selected.size > 0 && (
        <BulkActions
          selected={[...selected.values()]}
          matching={matchingOf(list, monitorList)}
          doing={doing}
          onDone={() => setEpoch(epoch + 1)}
          onClear={() => setSelected(new Map())}
        />
      )}
      <div ref={card} class={`card ${isOld ? 'opacity-60' : ''} ${selected.size > 0 ? 'mb-24' : ''}`} {...handlers}>
        <table class="block" aria-label={t('Monitors')}>
          <ListHeader
            list={list}
            onChange={onChange}
            {...(mayChange && {
              selection: {
                shown: shown.length,
                ticked: shown.filter(({ row }) => selected.has(row.id)).length,
                onChange: (isOn: boolean) =>
                  select(
                    shown.map(({ row }) => row),
                    isOn,
                  ),
              },
            })}
          />
          {list.group === '' ? (
            <tbody class="block last:*:last:rounded-b-md">{tableRows(shown)}</tbody>
          ) : (
            sections.map((section) => (
              <tbody key={section.value} class="block last:*:last:rounded-b-md">
                <GroupHeading section={section} list={list} onChange={onChange} />
                {tableRows(section.rows)}
              </tbody>
            ))
          )}
        </table>
      </div>
      {menu.element}
    </>
  )
}

/** All monitors that the selector of the list matches, if nothing else filters it. */
function matchingOf(list: ListState, { counts: { total } }: PublicSchemas['MonitorList']) {
  const isOther = isFiltered({ ...list, labels: '' })
  return list.labels === '' || isOther || total > MOST_SELECTED ? undefined : { selector: list.labels, total }
}

function changed(
  selected: ReadonlyMap<string, NamedMonitor>,
  monitors: readonly NamedMonitor[],
  isOn: boolean,
): ReadonlyMap<string, NamedMonitor> {
  const next = new Map(selected)
  for (const { id, name } of monitors) {
    if (!isOn) next.delete(id)
    else if (next.size < MOST_SELECTED) next.set(id, { id, name })
    else {
      showToast(t('At most {mostSelected} monitors can be selected', { mostSelected: MOST_SELECTED }))
      break
    }
  }
  return next
}

/** As the server names the group of a monitor. */
function groupOfRow(row: Pick<ListedMonitor, 'state' | 'type' | 'labels'>, group: ListState['group']): string {
  if (group === 'state' || group === 'type') return row[group]
  const label = groupLabel(group)
  if (label === undefined) return ''
  const value = row.labels[label]
  return value === undefined ? absentTerm(label) : termFor(label, value)
}

function groupTitle(value: string, group: ListState['group']): string {
  const label = groupLabel(group)
  if (label === undefined) return group === 'state' ? stateLabels[value as State] : typeLabel(value as MonitorType)
  return value === absentTerm(label) ? t('Without {label}', { label }) : describeTerm(value)
}

interface GroupHeadingProps {
  readonly section: Section<unknown>
  readonly list: ListState
  readonly onChange: ChangeList
}

function GroupHeading({ section: { value, total, isCollapsed }, list, onChange }: GroupHeadingProps) {
  const Chevron = isCollapsed ? ChevronRight : ChevronDown
  const others = list.collapsed.filter((one) => one !== value)
  const isState = list.group === 'state'
  return (
    <tr class="block border-t border-line bg-ground">
      <th scope="rowgroup" colSpan={9} class="block text-start">
        <button
          type="button"
          class="touch flex w-full cursor-pointer items-center gap-2 px-4 py-2 font-semibold"
          aria-expanded={!isCollapsed}
          onClick={() => onChange({ collapsed: isCollapsed ? others : [...others, value] })}
        >
          <Chevron class="text-muted" />
          {isState && <StateShape state={value as State} />}
          {groupTitle(value, list.group)}
          <span class="font-normal text-muted">{number(total)}</span>
        </button>
      </th>
    </tr>
  )
}

/** The menu of a row, and the dialog that it opens. */
function useRowMenu(doing: RunningAction) {
  const { refresh } = useOrganization()
  const actions = useMonitorActions()
  const [, navigate] = useLocation()
  const [target, setTarget] = useState<RowMenuTarget>()
  const [toDelete, setToDelete] = useState<ListedMonitor>()
  const act = (action: RowAction, monitor: ListedMonitor) => {
    if (action === 'edit') navigate(`/monitors/${monitor.id}/edit`)
    else if (action === 'duplicate') navigate(`/monitors/new?copy=${monitor.id}`)
    else if (action === 'delete') setToDelete(monitor)
    else if (action === 'check') void doing.run('check', () => checkOne(monitor, actions, refresh))
    else void doing.run(action, () => actions.turn(action, [monitor]))
  }
  return {
    open: setTarget,
    element: (
      <>
        {target !== undefined && (
          <RowMenu key={target.monitor.id} target={target} onAction={act} onClose={() => setTarget(undefined)} />
        )}
        {toDelete !== undefined && <DeleteMonitor monitor={toDelete} onClose={() => setToDelete(undefined)} />}
      </>
    ),
  }
}

async function checkOne(
  { id, name, type }: ListedMonitor,
  { check }: ReturnType<typeof useMonitorActions>,
  refresh: (...kinds: readonly string[]) => Promise<void>,
): Promise<void> {
  if (!canCheck({ type })) return showToast(t('{name} can’t be checked: its job reports by itself', { name }))
  await check(id)
  await refresh('monitor')
  showToast(t('{name} checked', { name }))
}

/** j and k move between rows; p pauses and c checks the focused one. */
function useListKeys(
  card: { current: HTMLElement | null },
  rows: readonly ListedMonitor[],
  doing: RunningAction,
): void {
  const { may, refresh } = useOrganization()
  const actions = useMonitorActions()
  const withFocused = (act: (monitor: ListedMonitor) => void) => {
    const id = document.activeElement?.closest<HTMLElement>('[data-id]')?.dataset.id
    const monitor = rows.find((row) => row.id === id)
    if (monitor !== undefined && may('MEMBER')) act(monitor)
  }
  useRowKeys(card)
  useShortcuts({
    p: () =>
      withFocused((monitor) => {
        const verb = pauseAction(monitor)
        void doing.run(verb, () => actions.turn(verb, [monitor]))
      }),
    c: () => withFocused((monitor) => void doing.run('check', () => checkOne(monitor, actions, refresh))),
  })
}

interface Group {
  readonly value: string
  readonly total: number
}

interface Section<T> extends Group {
  readonly isCollapsed: boolean
  readonly rows: readonly T[]
}

interface Page {
  readonly offset: number
  readonly limit: number
  readonly total: number
}

/**
 * The groups of one page: those that have rows on it, and collapsed ones whose place in the list is on it. `pagination.total`
 * leaves out the rows of collapsed groups.
 */
function sectionsOf<T>(
  rows: readonly T[],
  groupOf: (row: T) => string,
  groups: readonly Group[],
  collapsed: readonly string[],
  { offset, limit, total }: Page,
): readonly Section<T>[] {
  const byGroup = Map.groupBy(rows, groupOf)
  const isLastPage = offset + limit >= total
  let before = 0
  return groups.flatMap((group): readonly Section<T>[] => {
    const isCollapsed = collapsed.includes(group.value)
    const at = before
    if (!isCollapsed) before += group.total
    const own = byGroup.get(group.value) ?? []
    const isHere = isCollapsed ? at >= offset && (at < offset + limit || isLastPage) : own.length > 0
    return isHere ? [{ ...group, isCollapsed, rows: isCollapsed ? [] : own }] : []
  })
}
