import { keepPreviousData, useQuery } from '@tanstack/preact-query'
import { X } from 'lucide-preact'
import { Link } from 'wouter-preact'
import { useGet } from '../../api/get.ts'
import { useOrganization } from '../../api/organization.tsx'
import { plural, t, tx } from '../../lib/i18n.ts'
import { useSearchState } from '../../lib/search.ts'
import { Button } from '../../ui/button.tsx'
import { MonitorSearch } from '../../ui/monitor-search.tsx'
import { EmptyState } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { Pager } from '../../ui/pager.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { SegmentedControl } from '../../ui/segmented-control.tsx'
import { choicesOf, Select } from '../../ui/select.tsx'
import { IncidentList } from './incident-list.tsx'

const PAGE = 25
const DAY_MS = 86_400_000

const statuses = choicesOf({ ongoing: t('Ongoing'), resolved: t('Resolved'), all: t('All') })
type Status = (typeof statuses)[number]['value']

const ages = [
  { value: '', label: t('Any time') },
  { value: '1', label: t('Last 24 hours') },
  { value: '7', label: t('Last 7 days') },
  { value: '30', label: t('Last 30 days') },
  { value: '90', label: t('Last 90 days') },
]

/** Detected incidents, newest first. Filters are in the URL. */
export default function Incidents() {
  const { api, key, may } = useOrganization()
  const [search, change] = useSearchState()
  const status = statuses.find(({ value }) => value === search.get('status'))?.value ?? 'ongoing'
  const [monitorId, days] = [search.get('monitorId') ?? '', search.get('days') ?? '']
  const offset = Number(search.get('offset') ?? 0) || 0
  const incidents = useQuery({
    queryKey: key('incident', 'list', status, monitorId, days, offset),
    queryFn: () => api.GET('/api/v1/incidents', { query: queryOf(status, monitorId, days, offset) }),
    placeholderData: keepPreviousData,
  })
  const filter = (next: Record<string, string | null>) => change({ offset: null, ...next })
  return (
    <Page title={t('Incidents')} wide lead={incidents.data && sentence(incidents.data.pagination.total, status)}>
      <search class="mb-4 flex flex-wrap items-center gap-2">
        <SegmentedControl
          label={t('Status')}
          value={status}
          choices={statuses}
          onValue={(next) => filter({ status: next === 'ongoing' ? null : next })}
        />
        <Select aria-label={t('Started')} value={days} choices={ages} onValue={(next) => filter({ days: next })} />
        {monitorId === '' ? (
          <MonitorSearch
            class="input grow basis-40 sm:max-w-60"
            data-filter
            aria-label={t('Monitor')}
            placeholder={t('Filter by monitor  ( / )')}
            onChoose={(id) => filter({ monitorId: id })}
          />
        ) : (
          <ChosenMonitor id={monitorId} onId={(id) => filter({ monitorId: id })} />
        )}
      </search>
      <QueryResult query={incidents} lines={8}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <NoIncidents status={status} isFiltered={monitorId !== '' || days !== ''} />
          ) : (
            <>
              <IncidentList incidents={data} isOld={incidents.isPlaceholderData} isSelectable={may('MEMBER')} />
              <Pager {...pagination} onOffset={(next) => change({ offset: next === 0 ? null : String(next) })} />
            </>
          )
        }
      </QueryResult>
    </Page>
  )
}

function queryOf(status: Status, monitorId: string, days: string, offset: number) {
  const since = Number(days)
  return {
    limit: PAGE,
    offset,
    ...(status !== 'all' && { status: status === 'ongoing' ? ('ONGOING' as const) : ('RESOLVED' as const) }),
    ...(monitorId !== '' && { monitorId }),
    ...(since > 0 && { startedAfter: new Date(Date.now() - since * DAY_MS).toISOString() }),
  }
}

function sentence(total: number, status: Status): string {
  const count = total === 0 ? t('No incidents') : plural(total, 'incident')
  if (status === 'all') return total === 0 ? t('No incidents.') : t('{count}, newest first.', { count })
  return status === 'ongoing'
    ? total === 0
      ? t('Nothing is down.')
      : t('{count} ongoing.', { count })
    : t('{count} resolved.', { count })
}

function NoIncidents({ status, isFiltered }: { status: Status; isFiltered: boolean }) {
  if (status === 'ongoing') {
    return (
      <EmptyState title={isFiltered ? t('No matching incidents') : t('No ongoing incidents')}>
        {t('When a monitor goes down, the incident appears here and its alert contacts are notified.')}
      </EmptyState>
    )
  }
  return (
    <EmptyState title={isFiltered ? t('No matching incidents') : t('No incidents yet')}>
      {t('Incidents open automatically when checks fail and resolve when they succeed again.')}
    </EmptyState>
  )
}

interface MonitorFilterProps {
  readonly id: string
  readonly onId: (id: string | null) => void
}

/** The monitor of the list. */
function ChosenMonitor({ id, onId }: MonitorFilterProps) {
  const monitor = useGet(['monitor', id], '/api/v1/monitors/{monitorId}', { path: { monitorId: id } })
  return (
    <span class="inline-flex min-w-0 items-center rounded-full border border-line bg-surface ps-3">
      <span class="min-w-0">
        {tx('Monitor: {link}', {
          link: (
            <Link href={`/monitors/${id}`} class="link">
              {monitor.data?.name ?? '…'}
            </Link>
          ),
        })}
      </span>
      <Button
        look="quiet"
        aria-label={t('Show all monitors')}
        title={t('Show all monitors')}
        onClick={() => onId(null)}
        icon={<X />}
      />
    </span>
  )
}
