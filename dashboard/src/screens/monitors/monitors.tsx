import { keepPreviousData, useQuery } from '@tanstack/preact-query'
import { Plus } from 'lucide-preact'
import { useCallback, useRef, useState } from 'preact/hooks'
import { type AppSchemas, unwrap } from '../../api/client.ts'
import { useOrganization } from '../../api/organization.tsx'
import { plural } from '../../lib/format.ts'
import { useSearchState } from '../../lib/search.ts'
import { useRowKeys, useShortcuts } from '../../lib/shortcuts.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { EmptyState, ErrorNotice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { Pager } from '../../ui/pager.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { showToast } from '../../ui/toast.tsx'
import {
  canCheck,
  type MonitorAction,
  pauseAction,
  type RunningAction,
  useMonitorActions,
  useRunningAction,
} from './actions.ts'
import { BulkActions } from './bulk-actions.tsx'
import { type Filters, ListFilters } from './list-filters.tsx'
import { type ListedMonitor, ListHeader, ListRow } from './list-row.tsx'
import { usePointerOrFocus, useStableOrder } from './stable-order.ts'

const PAGE = 50

export default function Monitors() {
  const { app, key, may } = useOrganization()
  const [search, change] = useSearchState()
  const [q = '', state = '', type = ''] = ['q', 'state', 'type'].map((name) => search.get(name) ?? '')
  const offset = Number(search.get('offset') ?? 0) || 0
  const isFiltered = q !== '' || state !== '' || type !== ''
  const board = useQuery({
    queryKey: key('monitor', 'board', q, state, type, offset),
    queryFn: ({ signal }) =>
      unwrap(
        app.GET('/app/api/monitors', {
          params: { query: { limit: PAGE, offset, ...(q && { q }), ...(state && { state }), ...(type && { type }) } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  })
  const filter = useCallback((next: Partial<Filters>) => change({ ...next, offset: null }), [change])
  const clear = () => filter({ q: '', state: '', type: '' })
  return (
    <Page
      title="Monitors"
      lead={board.data === undefined ? undefined : leadOf(board.data.pagination.total, isFiltered)}
      actions={
        may('MEMBER') && (
          <LinkButton href="/monitors/new" look="primary" icon={<Plus size={16} aria-hidden="true" />}>
            New monitor
          </LinkButton>
        )
      }
    >
      <ListFilters filters={{ q, state, type }} onChange={filter} />
      <QueryResult query={board} lines={10}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <NothingListed isFiltered={isFiltered || offset > 0} onClear={clear} />
          ) : (
            <>
              <Board
                rows={data}
                list={board.isPlaceholderData ? 'coming' : JSON.stringify([q, state, type, offset])}
                isOld={board.isPlaceholderData}
              />
              <Pager {...pagination} onOffset={(next) => change({ offset: next === 0 ? null : String(next) })} />
            </>
          )
        }
      </QueryResult>
    </Page>
  )
}

function leadOf(total: number, isFiltered: boolean): string {
  if (!isFiltered) return total === 0 ? 'No monitors yet' : `${plural(total, 'monitor')}, problems first`
  return total === 0 ? 'No matches' : `${total.toLocaleString()} ${total === 1 ? 'match' : 'matches'}`
}

function NothingListed({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  const { may } = useOrganization()
  if (isFiltered) {
    return (
      <EmptyState title="No matching monitors" action={<Button onClick={onClear}>Clear filters</Button>}>
        Try another name, target, type or status.
      </EmptyState>
    )
  }
  return (
    <EmptyState
      title="Add your first monitor"
      action={
        may('MEMBER') && (
          <LinkButton href="/welcome" look="primary">
            Add monitor
          </LinkButton>
        )
      }
    >
      Add a website, a host or a cron job and get alerts when it stops working.
    </EmptyState>
  )
}

interface BoardProps {
  readonly rows: AppSchemas['Board']['data']
  readonly list: string
  readonly isOld: boolean
}

function Board({ rows, list, isOld }: BoardProps) {
  const { may, refresh } = useOrganization()
  const card = useRef<HTMLDivElement>(null)
  const doing = useRunningAction()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [epoch, setEpoch] = useState(0)
  const { isInside, handlers } = usePointerOrFocus(card)
  const shown = useStableOrder(rows, isInside, `${list} ${epoch}`)
  const ticked = shown.map(({ row }) => row).filter(({ id }) => selected.has(id))
  const mayChange = may('MEMBER')
  const select = (id: string, isSelected: boolean) => {
    const next = new Set(selected)
    if (isSelected) next.add(id)
    else next.delete(id)
    setSelected(next)
  }
  const settle = async (verb: MonitorAction) => {
    await refresh('monitor', 'incident')
    // A change of filters may reorder rows.
    setEpoch(epoch + 1)
    if (verb === 'delete') setSelected(new Set())
  }
  useBoardKeys(
    card,
    shown.map(({ row }) => row),
    doing,
  )
  return (
    <>
      {doing.problem !== undefined && (
        <div class="mb-3">
          <ErrorNotice problem={doing.problem} />
        </div>
      )}
      {ticked.length > 0 && (
        <BulkActions selected={ticked} doing={doing} onDone={settle} onClear={() => setSelected(new Set())} />
      )}
      <div ref={card} class={`card ${isOld ? 'opacity-60' : ''}`} {...handlers}>
        <div class="relative border-b border-line">
          {mayChange && (
            <SelectAll
              shown={shown.length}
              ticked={ticked.length}
              onChange={(isOn) => setSelected(allOf(rows, isOn))}
            />
          )}
          <ListHeader />
        </div>
        <ul>
          {shown.map(({ row, isGone }) => (
            <ListRow
              key={row.id}
              monitor={row}
              isGone={isGone}
              isSelected={mayChange ? selected.has(row.id) : undefined}
              onSelect={(isSelected) => select(row.id, isSelected)}
            />
          ))}
        </ul>
      </div>
    </>
  )
}

function allOf(rows: readonly ListedMonitor[], isOn: boolean): ReadonlySet<string> {
  return new Set(isOn ? rows.map(({ id }) => id) : [])
}

function SelectAll(props: { shown: number; ticked: number; onChange: (isOn: boolean) => void }) {
  const { shown, ticked, onChange } = props
  return (
    <label class="flex items-center gap-3 px-4 py-2 text-xs text-muted lg:absolute lg:top-0 lg:left-0">
      <input
        type="checkbox"
        class="size-4 accent-accent"
        checked={ticked === shown}
        indeterminate={ticked > 0 && ticked < shown}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span class="lg:sr-only">Select all on this page</span>
    </label>
  )
}

/** j and k move between rows; p pauses and c checks the focused one. */
function useBoardKeys(
  card: { current: HTMLElement | null },
  rows: readonly ListedMonitor[],
  doing: RunningAction,
): void {
  const { may, refresh } = useOrganization()
  const verbs = useMonitorActions()
  const act = (verbFor: (monitor: ListedMonitor) => 'pause' | 'resume' | 'check') => {
    const id = document.activeElement?.closest<HTMLElement>('[data-id]')?.dataset.id
    const monitor = rows.find((row) => row.id === id)
    if (monitor === undefined || !may('MEMBER')) return
    const verb = verbFor(monitor)
    if (verb === 'check' && !canCheck(monitor))
      return showToast(`${monitor.name} can’t be checked: its job reports by itself`)
    void doing.run(verb, async () => {
      await verbs[verb](monitor.id)
      await refresh('monitor')
      showToast(`${monitor.name} ${verb === 'check' ? 'checked' : `${verb}d`}`)
    })
  }
  useRowKeys(card)
  useShortcuts({ p: () => act(pauseAction), c: () => act(() => 'check') })
}
