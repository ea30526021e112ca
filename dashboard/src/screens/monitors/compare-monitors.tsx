import { keepPreviousData, useQueries } from '@tanstack/preact-query'
import { X } from 'lucide-preact'
import { useNamesOf } from '../../api/lists.ts'
import { useOrganization } from '../../api/organization.tsx'
import { t } from '../../lib/i18n.ts'
import { useSearchState } from '../../lib/search.ts'
import { Button } from '../../ui/button.tsx'
import { MonitorSearch } from '../../ui/monitor-search.tsx'
import { type ChartRange, rangeQuery } from './chart-range.tsx'

/** Beside the monitor itself. */
const MOST_OTHERS = 4

/** Colours of the tokens with a dash each, so that lines differ without colour too. */
export const compareLooks = [
  { colour: 'up', dash: [8, 3] },
  { colour: 'degraded', dash: [2, 3] },
  { colour: 'maintenance', dash: [10, 3, 2, 3] },
  { colour: 'down', dash: [5, 5] },
] as const

/** The monitors that the chart is compared with, from the URL, with their response times. */
export function useCompared(own: string, range: ChartRange) {
  const { api, key } = useOrganization()
  const [search, change] = useSearchState()
  const idsInUrl = [...new Set((search.get('compare') ?? '').split(','))]
  const ids = idsInUrl.filter((id) => id.startsWith('mon_') && id !== own).slice(0, MOST_OTHERS)
  const names = useNamesOf(ids).data ?? []
  const series = useQueries({
    queries: ids.map((monitorId) => ({
      queryKey: key('monitor', monitorId, 'series', JSON.stringify(range)),
      queryFn: () =>
        api.GET('/api/v1/monitors/{monitorId}/response-times', { path: { monitorId }, query: rangeQuery(range) }),
      placeholderData: keepPreviousData,
    })),
  })
  const others = ids.map((id, i) => ({
    id,
    name: names.find((one) => one.id === id)?.name ?? '…',
    points: series[i]?.data?.points ?? [],
  }))
  return {
    others,
    setOthers: (next: readonly string[]) => change({ compare: next.length === 0 ? null : next.join(',') }),
  }
}

export function CompareChoice({ own, others, setOthers }: { own: string } & ReturnType<typeof useCompared>) {
  const ids = others.map((other) => other.id)
  return (
    <div class="mt-3 flex flex-wrap items-center gap-2">
      {others.map((other) => (
        <span key={other.id} class="inline-flex items-center rounded-full border border-line ps-3">
          <span class="max-w-60 truncate">{other.name}</span>
          <Button
            look="quiet"
            aria-label={t('Remove {name}', { name: other.name })}
            onClick={() => setOthers(ids.filter((one) => one !== other.id))}
            icon={<X />}
          />
        </span>
      ))}
      {others.length < MOST_OTHERS && (
        <MonitorSearch
          class="input w-60"
          aria-label={t('Compare with another monitor')}
          placeholder={t('Compare with…')}
          without={[own, ...ids]}
          onChoose={(id) => setOthers([...ids, id])}
        />
      )}
    </div>
  )
}
