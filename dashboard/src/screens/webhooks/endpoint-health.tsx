import { useGet } from '../../api/get.ts'
import { plural, t } from '../../lib/i18n.ts'
import { type Delivery, isFailing } from './labels.tsx'

const RECENT_DELIVERIES = 20
const STEP = 8

/** Results of the last twenty deliveries. */
export function EndpointHealth({ endpointId }: { endpointId: string }) {
  const last = useGet('webhook_delivery', '/api/v1/webhook-deliveries', {
    query: { endpointId, limit: RECENT_DELIVERIES },
    // The event stream does not report delivery attempts.
    refetchInterval: 10_000,
  })
  if (last.data === undefined) return <span class="skeleton inline-block h-5 w-40" aria-hidden="true" />
  const { data } = last.data
  const words = inWords(data)
  if (data.length === 0) return <span class="text-muted">{words}</span>
  return (
    <span class="inline-flex flex-wrap items-center gap-x-3">
      <Shapes deliveries={data.toReversed()} label={words} />
      <span class="text-muted">{words}</span>
    </span>
  )
}

function inWords(deliveries: readonly Delivery[]): string {
  const count = (status: Delivery['status']) => deliveries.filter((one) => one.status === status).length
  const failing = deliveries.filter(isFailing).length
  const [failed, pending] = [count('FAILED'), count('PENDING') - failing]
  if (deliveries.length === 0) return t('No deliveries yet')
  const first =
    failed + failing + pending === 0
      ? t('{deliveries} succeeded', { deliveries: plural(deliveries.length, 'delivery', 'deliveries') })
      : t('{count} of the last {length} succeeded', { count: count('SUCCEEDED'), length: deliveries.length })
  return [
    first,
    failed > 0 && t('{failed} failed', { failed }),
    failing > 0 && t('{failing} failing', { failing }),
    pending > 0 && t('{pending} pending', { pending }),
  ]
    .filter(Boolean)
    .join(', ')
}

/** Filled: succeeded, cross: failed, hollow: pending, red after a failed attempt; oldest first. */
function Shapes({ deliveries, label }: { deliveries: readonly Delivery[]; label: string }) {
  const width = deliveries.length * STEP
  return (
    <svg width={width} height="16" viewBox={`0 0 ${width} 16`} role="img" aria-label={label}>
      {deliveries.map((delivery, i) => (
        <g key={delivery.id} transform={`translate(${i * STEP} 0)`}>
          {delivery.status === 'SUCCEEDED' && <rect class="fill-up" width="6" height="16" rx="1" />}
          {delivery.status === 'FAILED' && (
            <path class="stroke-down" d="M.75 5l5 6m0-6l-5 6" stroke-width="2" fill="none" />
          )}
          {delivery.status === 'PENDING' && (
            <rect
              class={isFailing(delivery) ? 'stroke-down' : 'stroke-paused'}
              x=".75"
              y="8.75"
              width="4.500"
              height="6.500"
              fill="none"
              stroke-width="1.500"
            />
          )}
        </g>
      ))}
    </svg>
  )
}
