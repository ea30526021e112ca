import { keepPreviousData, useInfiniteQuery } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import { type MonitorName, nextOffset, useNamesOf } from '../api/lists.ts'
import { useOrganization } from '../api/organization.tsx'
import { number } from '../lib/format.ts'
import { t, tx } from '../lib/i18n.ts'
import { monitorTypeLabels } from '../lib/labels.ts'
import { Button } from './button.tsx'
import { Filter } from './filter.tsx'

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
  const picked = new Set(value)
  return (
    <fieldset class="rounded-md border border-line">
      <legend class="ms-2 px-1 font-medium">
        {label}{' '}
        <span class="font-normal text-muted">{tx('({length} selected)', { length: number(value.length) })}</span>
      </legend>
      {(total > 8 || q !== '') && (
        <Filter label={t('Filter {label}', { label: label.toLowerCase() })} value={filter} onValue={setFilter} />
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable with the keyboard */}
      <div class="max-h-60 overflow-y-auto p-2" tabIndex={0}>
        {shown.length === 0 && found.isSuccess && (
          <p class="p-2 text-muted">{q === '' ? t('No monitors yet') : t('No matches')}</p>
        )}
        {shown.map(({ id, name, type }) => (
          <label key={id} class="touch flex items-center gap-2 rounded px-2 py-1 hover:bg-ground">
            <input
              type="checkbox"
              class="size-4 shrink-0 accent-accent"
              checked={picked.has(id)}
              onChange={({ currentTarget: { checked } }) =>
                onValue(checked ? [...value, id] : value.filter((other) => other !== id))
              }
            />
            <span class="min-w-0 grow wrap-anywhere">{name}</span>
            <span class="shrink-0 text-xs text-muted">{monitorTypeLabels[type]}</span>
          </label>
        ))}
        {found.hasNextPage && (
          <Button look="quiet" busy={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
            {t('Show more ({count} in total)', { count: number(total) })}
          </Button>
        )}
      </div>
    </fieldset>
  )
}
