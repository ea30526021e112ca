import { keepPreviousData, useInfiniteQuery } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import { type MonitorName, nextOffset, useNamesOf } from '../api/lists.ts'
import { useOrganization } from '../api/organization.tsx'
import { number } from '../lib/format.ts'
import { t } from '../lib/i18n.ts'
import { monitorTypeLabels } from '../lib/labels.ts'
import { Button } from './button.tsx'
import { Picker, PickOptions } from './checkbox-list.tsx'

const PAGE = 50

interface PickerProps {
  readonly label: string
  readonly value: readonly string[]
  readonly onValue: (ids: readonly string[]) => void
}

/** Checkboxes for monitors. There may be thousands: pages are loaded as they are wanted, and the server filters. */
export function MonitorPicker({ label, value, onValue }: PickerProps) {
  const { api, key } = useOrganization()
  const [filter, setFilter] = useState('')
  // Those chosen before come first; later ones stay where they are.
  const [before] = useState(value)
  const first = useNamesOf(before).data ?? []
  const q = filter.trim()
  const found = useInfiniteQuery({
    queryKey: key('names', 'picker', q),
    queryFn: ({ pageParam: offset, signal }) => {
      const query = { limit: PAGE, offset, ...(q === '' ? { sort: 'name' as const } : { q, sort: 'match' as const }) }
      return api.GET('/api/v1/monitor-list', { query, signal })
    },
    initialPageParam: 0,
    getNextPageParam: nextOffset,
    placeholderData: keepPreviousData,
  })
  const pages = found.data?.pages ?? []
  const total = pages[0]?.pagination.total ?? 0
  const isFirst = new Set(q === '' ? first.map(({ id }) => id) : [])
  const rest: readonly MonitorName[] = pages.flatMap(({ data }) => data).filter(({ id }) => !isFirst.has(id))
  const shown = q === '' ? [...first, ...rest] : rest
  return (
    <Picker label={label} value={value} hasFilter={total > 8 || q !== ''} filter={filter} onFilter={setFilter}>
      {shown.length === 0 && found.isSuccess && (
        <p class="p-2 text-muted">{q === '' ? t('No monitors yet') : t('No matches')}</p>
      )}
      <PickOptions
        options={shown.map(({ id, name, type }) => ({ id, name, note: monitorTypeLabels[type] }))}
        value={value}
        onValue={onValue}
      />
      {found.hasNextPage && (
        <Button look="quiet" busy={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
          {t('Show more ({count} in total)', { count: number(total) })}
        </Button>
      )}
    </Picker>
  )
}
