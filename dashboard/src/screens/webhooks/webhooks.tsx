import { useQuery } from '@tanstack/preact-query'
import { Plus } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { answer } from '../../api/client.ts'
import { everyPart } from '../../api/lists.ts'
import { useOrganization } from '../../api/organization.tsx'
import { plural } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Empty } from '../../ui/notice.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { Ago } from '../../ui/time.tsx'
import { DeliveryList } from './delivery-list.tsx'
import { EndpointForm } from './endpoint-form.tsx'
import { Health } from './health.tsx'
import { type Endpoint, EndpointMark, eventsOf, nameOf } from './words.tsx'

/** Who is told of what happens, how well that goes, and everything that was sent. */
export default function Webhooks() {
  const { api, key, may } = useOrganization()
  const [isMaking, setMaking] = useState(false)
  const endpoints = useQuery({
    queryKey: key('webhook_endpoint', 'every'),
    queryFn: () => everyPart((query) => answer(api.GET('/api/v1/webhook-endpoints', { params: { query } }))),
    refetchInterval: 30_000,
  })
  const make = may('MEMBER') && (
    <Button look="primary" icon={<Plus size={16} aria-hidden="true" />} onClick={() => setMaking(true)}>
      New endpoint
    </Button>
  )
  return (
    <Page title="Webhooks" lead={<Lead endpoints={endpoints.data} />} actions={make}>
      <Loaded query={endpoints}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="There is no webhook endpoint yet" action={make}>
              An endpoint is an address of yours that is told, signed, of what happens: incidents, monitors,
              maintenance. What fails is tried again, and every attempt is kept.
            </Empty>
          ) : (
            <>
              <Section title="Endpoints">
                <ul class="card divide-y divide-line">
                  {list.map((endpoint) => (
                    <Row key={endpoint.id} endpoint={endpoint} />
                  ))}
                </ul>
              </Section>
              <Section title="Deliveries">
                <DeliveryList endpoints={list} />
              </Section>
            </>
          )
        }
      </Loaded>
      {isMaking && <EndpointForm onClose={() => setMaking(false)} />}
    </Page>
  )
}

function Lead({ endpoints }: { endpoints: readonly Endpoint[] | undefined }) {
  if (endpoints === undefined || endpoints.length === 0) return <>Tells other programs what happens here.</>
  const disabled = endpoints.filter(({ enabled }) => !enabled)
  const byUs = disabled.filter(({ disabledReason }) => disabledReason !== null)
  return (
    <>
      {plural(endpoints.length, 'endpoint')}
      {disabled.length === 0
        ? endpoints.length === 1
          ? ', enabled'
          : ', all enabled'
        : `, ${disabled.length} disabled`}
      {byUs.length > 0 && ` (${byUs.length} by the service)`}.
    </>
  )
}

function Row({ endpoint }: { endpoint: Endpoint }) {
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
            last sent <Ago at={endpoint.lastDeliveryAt} />
          </span>
        )}
        <EndpointMark endpoint={endpoint} />
      </div>
      <p class="mt-0.5 text-muted">
        <span class="break-all">{endpoint.url}</span> · {eventsOf(endpoint)}
      </p>
      <div class="mt-2">
        <Health endpointId={endpoint.id} />
      </div>
    </li>
  )
}
