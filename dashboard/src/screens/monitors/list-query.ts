import { useCallback, useMemo } from 'preact/hooks'
import { t } from '../../lib/i18n.ts'
import { useSearchState } from '../../lib/search.ts'

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
  state: 'Status',
  name: t('Name'),
  type: 'Type',
  uptime: t('30 days'),
  response: t('Response'),
  checked: t('Checked'),
}

/** Filters, order and grouping of the list, as the URL has them. */
export interface ListState {
  readonly q: string
  readonly state: string
  readonly type: string
  readonly maintenance: boolean
  readonly sort: SortKey
  readonly order: Order
  readonly group: '' | 'state' | 'type'
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
      const merged = { ...list, offset: 0, ...next }
      const isDefault = merged.sort === 'state' && merged.order === 'asc'
      change({
        q: merged.q,
        state: merged.state,
        type: merged.type,
        maintenance: merged.maintenance ? 'true' : null,
        sort: isDefault ? null : merged.sort,
        order: merged.order === firstOrder[merged.sort] ? null : merged.order,
        group: merged.group,
        collapsed: merged.group === '' ? null : merged.collapsed.join(','),
        offset: merged.offset === 0 ? null : String(merged.offset),
      })
    },
    [list, change],
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
    maintenance: search.get('maintenance') === 'true',
    sort,
    order: order === 'asc' || order === 'desc' ? order : firstOrder[sort],
    group: group === 'state' || group === 'type' ? group : '',
    collapsed: (search.get('collapsed') ?? '').split(',').filter((one) => one !== ''),
    offset: Number(search.get('offset') ?? 0) || 0,
  }
}

export function isFiltered({ q, state, type, maintenance }: ListState): boolean {
  return q !== '' || state !== '' || type !== '' || maintenance
}

/** The parameters of the list and of its export. */
export function filterParams({ q, state, type, maintenance, sort, order, group }: ListState) {
  return {
    ...(q !== '' && { q }),
    ...(state !== '' && { state }),
    ...(type !== '' && { type }),
    ...(maintenance && { maintenance: 'true' as const }),
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
