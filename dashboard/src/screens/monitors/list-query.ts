import { useCallback, useMemo } from 'preact/hooks'
import { t } from '../../lib/i18n.ts'
import { currentSearch, useSearchState } from '../../lib/search.ts'
import { faultIn, termsOf } from '../../lib/selector.ts'

const sortKeys = ['state', 'name', 'type', 'uptime', 'response', 'checked'] as const
export type SortKey = (typeof sortKeys)[number]
type Order = 'asc' | 'desc'

/** The direction that a column has at first: what needs attention comes first. */
export const firstOrder: Readonly<Record<SortKey, Order>> = {
  state: 'asc',
  name: 'asc',
  type: 'asc',
  uptime: 'asc',
  response: 'desc',
  checked: 'desc',
}

export const sortLabels: Readonly<Record<SortKey, string>> = {
  state: t('Status'),
  name: t('Name'),
  type: t('Type'),
  uptime: t('30 days'),
  response: t('Response'),
  checked: t('Checked'),
}

/** Filters, order and grouping of the list, as the URL has them. */
export interface ListState {
  readonly q: string
  readonly state: string
  readonly type: string
  /** A selector, which may be unfinished. */
  readonly labels: string
  readonly maintenance: boolean
  /** Only monitors that no alert contact covers. */
  readonly uncovered: boolean
  readonly sort: SortKey
  readonly order: Order
  /** `label:KEY` groups by a label. */
  readonly group: '' | 'state' | 'type' | `label:${string}`
  readonly collapsed: readonly string[]
  readonly offset: number
}

export type ChangeList = (change: Partial<ListState>) => void

export function useListState(): readonly [ListState, ChangeList] {
  const [search, change] = useSearchState()
  const list = useMemo(() => parse(search), [search])
  const changeList = useCallback<ChangeList>(
    (next) => {
      // A change of anything but the page starts at the first page.
      const merged = { ...parse(currentSearch()), offset: 0, ...next }
      const isDefault = merged.sort === 'state' && merged.order === 'asc'
      change({
        q: merged.q,
        state: merged.state,
        type: merged.type,
        labels: merged.labels,
        maintenance: merged.maintenance ? 'true' : null,
        uncovered: merged.uncovered ? 'true' : null,
        sort: isDefault ? null : merged.sort,
        order: merged.order === firstOrder[merged.sort] ? null : merged.order,
        group: merged.group,
        collapsed: merged.group === '' ? null : merged.collapsed.join(','),
        offset: merged.offset === 0 ? null : String(merged.offset),
      })
    },
    [change],
  )
  return [list, changeList]
}

function parse(search: URLSearchParams): ListState {
  const sort = sortKeys.find((key) => key === search.get('sort')) ?? 'state'
  const group = search.get('group')
  const order = search.get('order')
  return {
    q: search.get('q') ?? '',
    state: search.get('state') ?? '',
    type: search.get('type') ?? '',
    labels: search.get('labels') ?? '',
    maintenance: search.get('maintenance') === 'true',
    uncovered: search.get('uncovered') === 'true',
    sort,
    order: order === 'asc' || order === 'desc' ? order : firstOrder[sort],
    group: isGroup(group) ? group : '',
    collapsed: collapsedIn(search.get('collapsed') ?? '', group),
    offset: Number(search.get('offset') ?? 0) || 0,
  }
}

function isGroup(text: string | null): text is Exclude<ListState['group'], ''> {
  return text === 'state' || text === 'type' || groupLabel(text) !== undefined
}

/** The label that the list is grouped by. */
export function groupLabel(group: string | null): string | undefined {
  return group?.startsWith('label:') ? group.slice('label:'.length) : undefined
}

/** Groups by label are named by selectors, whose values may contain commas. */
function collapsedIn(text: string, group: string | null): readonly string[] {
  return groupLabel(group) === undefined ? text.split(',').filter((one) => one !== '') : termsOf(text)
}

export function isFiltered({ q, state, type, labels, maintenance, uncovered }: ListState): boolean {
  return q !== '' || state !== '' || type !== '' || labels !== '' || maintenance || uncovered
}

/** The parameters of the list and of its export. */
export function filterParams({ q, state, type, labels, maintenance, uncovered, sort, order, group }: ListState) {
  return {
    ...(q !== '' && { q }),
    ...(state !== '' && { state }),
    ...(type !== '' && { type }),
    ...(labels !== '' && faultIn(labels) === undefined && { labels }),
    ...(maintenance && { maintenance: 'true' as const }),
    ...(uncovered && { uncovered: 'true' as const }),
    ...(group !== '' && { group }),
    sort,
    order,
  }
}

export function listParams(list: ListState, limit: number) {
  const { group, collapsed, offset } = list
  return {
    ...filterParams(list),
    ...(group !== '' && collapsed.length > 0 && { collapsed: collapsed.join(',') }),
    limit,
    offset,
  }
}
