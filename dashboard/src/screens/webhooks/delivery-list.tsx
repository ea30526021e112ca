import { keepPreviousData, useQuery } from '@tanstack/preact-query'
import { Link } from 'wouter-preact'
import { useOrganization } from '../../api/organization.tsx'
import { separated } from '../../lib/format.ts'
import { plural, t } from '../../lib/i18n.ts'
import { deliveryStatusLabels } from '../../lib/labels.ts'
import { useSearchState } from '../../lib/search.ts'
import { useNow } from '../../lib/use-now.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/notice.tsx'
import { Pager } from '../../ui/pager.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { choicesOf, Select } from '../../ui/select.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { useEventTypes } from './event-picker.tsx'
import { nextTry } from './failing.tsx'
import { type Delivery, type Endpoint, isFailing, nameOf, ProgressLabel } from './labels.tsx'

const PER_PAGE = 25
const HOUR_MS = 3_600_000

const spans = [
  { value: '1h', label: t('Last hour'), ms: HOUR_MS },
  { value: '24h', label: t('Last 24 hours'), ms: 24 * HOUR_MS },
  { value: '7d', label: t('Last 7 days'), ms: 7 * 24 * HOUR_MS },
] as const

const statuses = choicesOf(deliveryStatusLabels)

/** Deliveries, newest first, with filters in the URL. `endpointId` limits them to one endpoint. */
export function DeliveryList({ endpointId, endpoints }: { endpointId?: string; endpoints: readonly Endpoint[] }) {
  const { api, key } = useOrganization()
  const [params, change] = useSearchState()
  const read = (name: string) => params.get(name) ?? undefined
  const filters = {
    endpointId: endpointId ?? read('endpoint'),
    eventType: read('event') as Delivery['eventType'] | undefined,
    status: statuses.find(({ value }) => value === read('status'))?.value,
    since: spans.find(({ value }) => value === read('since')),
    offset: Math.max(0, Number(read('offset')) || 0),
  }
  const list = useQuery({
    queryKey: key('webhook_delivery', 'list', filters),
    queryFn: () => {
      const { since, eventType, ...query } = filters
      const createdAfter = since && new Date(Date.now() - since.ms).toISOString()
      return api.GET('/api/v1/webhook-deliveries', {
        query: { ...query, eventType: eventType as never, createdAfter, limit: PER_PAGE },
      })
    },
    placeholderData: keepPreviousData,
    // The event stream does not report delivery attempts; polls faster while some are pending.
    refetchInterval: ({ state }) => (state.data?.data.some(({ status }) => status === 'PENDING') ? 3_000 : 10_000),
  })
  const isFiltered = ['status', 'event', 'since', 'endpoint'].some((name) => params.has(name))
  return (
    <>
      <Filters endpoints={endpointId === undefined ? endpoints : []} />
      <QueryResult query={list}>
        {({ data, pagination }) => (
          <>
            {data.length === 0 ? (
              <EmptyState
                title={isFiltered ? t('No matching deliveries') : t('No deliveries yet')}
                action={
                  isFiltered && (
                    <Button
                      onClick={() => change({ status: null, event: null, since: null, endpoint: null, offset: null })}
                    >
                      {t('Clear filters')}
                    </Button>
                  )
                }
              >
                {t('Deliveries are kept for 30 days.')}
              </EmptyState>
            ) : (
              <ul class="card @container divide-y divide-line">
                {data.map((delivery) => (
                  <Row
                    key={delivery.id}
                    delivery={delivery}
                    endpoint={
                      endpointId === undefined ? endpoints.find(({ id }) => id === delivery.endpointId) : undefined
                    }
                  />
                ))}
              </ul>
            )}
            <Pager {...pagination} onOffset={(next) => change({ offset: next === 0 ? null : String(next) })} />
          </>
        )}
      </QueryResult>
    </>
  )
}

function Filters({ endpoints }: { endpoints: readonly Endpoint[] }) {
  const [params, change] = useSearchState()
  const types = useEventTypes().data?.data ?? []
  const hasEndpoints = endpoints.length > 1
  const byEndpoint = endpoints.map((endpoint) => ({ value: endpoint.id, label: nameOf(endpoint) }))
  const filters = [
    ...(hasEndpoints ? [{ name: 'endpoint', label: t('Endpoint'), all: t('All endpoints'), choices: byEndpoint }] : []),
    { name: 'status', label: t('Status'), all: t('Any status'), choices: statuses },
    {
      name: 'event',
      label: t('Event'),
      all: t('Any event'),
      choices: types.map(({ type }) => ({ value: type, label: type })),
    },
    { name: 'since', label: t('Since'), all: t('Any time'), choices: spans },
  ]
  return (
    <div class={`mb-4 grid gap-2 lg:flex ${hasEndpoints ? 'grid-cols-2' : 'grid-cols-3'}`}>
      {filters.map(({ name, label, all, choices }) => (
        <Select<string>
          key={name}
          class="input lg:w-52!"
          aria-label={label}
          value={params.get(name) ?? ''}
          onValue={(value) => change({ [name]: value, offset: null })}
          choices={[{ value: '', label: all }, ...choices]}
        />
      ))}
    </div>
  )
}

function Row({ delivery, endpoint }: { delivery: Delivery; endpoint: Endpoint | undefined }) {
  const now = useNow()
  const { attemptCount, nextAttemptAt, lastResponseStatus } = delivery
  const answered = lastResponseStatus === null ? '' : t('HTTP {responseStatus}', { responseStatus: lastResponseStatus })
  const tried = separated([answered, plural(attemptCount, 'try', 'tries')].filter(Boolean))
  const next = nextAttemptAt === null || attemptCount === 0 ? '' : nextTry(nextAttemptAt, now)
  return (
    <li
      class={`relative flex flex-col gap-x-4 gap-y-1 px-4 py-2.5 hover:bg-ground @3xl:grid @3xl:items-baseline ${endpoint ? '@3xl:grid-cols-[7rem_13rem_minmax(0,2fr)_minmax(0,3fr)_auto]' : '@3xl:grid-cols-[7rem_13rem_minmax(0,1fr)_auto]'}`}
    >
      {/* Two lines, or cells of one row where there is room. */}
      <span class="flex items-baseline justify-between gap-4 @3xl:contents">
        <Link
          href={`/webhooks/deliveries/${delivery.id}`}
          class="min-w-0 font-mono text-xs font-medium after:absolute after:inset-0 @3xl:order-2"
        >
          {delivery.eventType}
        </Link>
        <span class="shrink-0 whitespace-nowrap text-muted @3xl:order-5 @3xl:text-end">
          <RelativeTime at={delivery.createdAt} />
        </span>
      </span>
      <span class="flex flex-wrap items-baseline gap-x-4 @3xl:contents">
        <span class="@3xl:order-1">
          <ProgressLabel delivery={delivery} />
        </span>
        {endpoint && <span class="min-w-0 truncate text-muted @3xl:order-3">{nameOf(endpoint)}</span>}
        <span class="text-muted @3xl:order-4">
          {isFailing(delivery) ? t('{tried}. {next}', { tried, next }) : tried}
        </span>
      </span>
    </li>
  )
}
