import { useQuery } from '@tanstack/preact-query'
import { Plus } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { fetchAllPages } from '../../api/lists.ts'
import { useOrganization } from '../../api/organization.tsx'
import { plural, t, tx } from '../../lib/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/notice.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { DeliveryList } from './delivery-list.tsx'
import { EndpointForm } from './endpoint-form.tsx'
import { EndpointHealth } from './endpoint-health.tsx'
import { FailingSince, useFailing } from './failing.tsx'
import { type Endpoint, EndpointLabel, eventsOf, nameOf } from './labels.tsx'

/** Webhook endpoints, their health, and deliveries. */
export default function Webhooks() {
  const { api, key, may } = useOrganization()
  const [isCreating, setCreating] = useState(false)
  const failing = useFailing()
  const endpoints = useQuery({
    queryKey: key('webhook_endpoint', 'every'),
    queryFn: () => fetchAllPages((query) => api.GET('/api/v1/webhook-endpoints', { query })),
    refetchInterval: 30_000,
  })
  const newButton = may('MEMBER') && (
    <Button look="primary" icon={<Plus />} onClick={() => setCreating(true)}>
      {t('New endpoint')}
    </Button>
  )
  return (
    <Page title={t('Webhooks')} wide lead={summaryOf(endpoints.data ?? [], failing.size)} actions={newButton}>
      <QueryResult query={endpoints}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title={t('No webhook endpoints yet')} action={newButton}>
              {t(
                'An endpoint is a URL of yours that receives signed events about incidents, monitors and maintenance. Failed deliveries are retried.',
              )}
            </EmptyState>
          ) : (
            <>
              <Section title={t('Endpoints')}>
                <ul class="card divide-y divide-line">
                  {list.map((endpoint) => (
                    <Row key={endpoint.id} endpoint={endpoint} failure={failing.get(endpoint.id)} />
                  ))}
                </ul>
              </Section>
              <Section title={t('Deliveries')}>
                <DeliveryList endpoints={list} />
              </Section>
            </>
          )
        }
      </QueryResult>
      {isCreating && <EndpointForm onClose={() => setCreating(false)} />}
    </Page>
  )
}

function summaryOf(endpoints: readonly Endpoint[], failing: number): string {
  if (endpoints.length === 0) return t('Send events to your own services.')
  const disabled = endpoints.filter(({ enabled }) => !enabled)
  const automatically = disabled.filter(({ disabledReason }) => disabledReason !== null)
  const allEnabled = endpoints.length === 1 ? t(', enabled') : t(', all enabled')
  const parts = [
    plural(endpoints.length, 'endpoint'),
    disabled.length === 0 ? allEnabled : t(', {length} disabled', { length: disabled.length }),
    automatically.length > 0 ? t(' ({length} automatically)', { length: automatically.length }) : '',
    failing > 0 ? t(', {count} failing', { count: failing }) : '',
  ]
  return `${parts.join('')}.`
}

function Row({ endpoint, failure }: { endpoint: Endpoint; failure: ReturnType<ReturnType<typeof useFailing>['get']> }) {
  return (
    <li class="relative px-4 py-3 hover:bg-ground">
      <div class="flex flex-wrap items-baseline gap-x-4 gap-y-1">
        <Link
          href={`/webhooks/${endpoint.id}`}
          class="min-w-0 grow basis-56 font-semibold after:absolute after:inset-0"
        >
          {nameOf(endpoint)}
        </Link>
        {endpoint.lastDeliveryAt !== null && (
          <span class="text-muted">
            {tx('last sent {time}', { time: <RelativeTime at={endpoint.lastDeliveryAt} /> })}
          </span>
        )}
        <EndpointLabel endpoint={endpoint} failing={failure !== undefined} />
      </div>
      <p class="mt-0.5 text-muted">
        <span class="break-all">{endpoint.url}</span> · {eventsOf(endpoint)}
      </p>
      {failure && (
        <p class="mt-0.5">
          <FailingSince failure={failure} />
        </p>
      )}
      <div class="mt-2">
        <EndpointHealth endpointId={endpoint.id} />
      </div>
    </li>
  )
}
