import type { PublicSchemas } from '../../api/client.ts'
import { deliveryStatusLabels } from '../../lib/labels.ts'
import { LabelledShape } from '../../ui/labelled-shape.tsx'

export type Endpoint = PublicSchemas['WebhookEndpoint']
export type Delivery = PublicSchemas['WebhookDelivery']
export type Attempt = PublicSchemas['WebhookAttempt']

const looks = {
  SUCCEEDED: { look: 'UP', word: deliveryStatusLabels.SUCCEEDED },
  FAILED: { look: 'DOWN', word: deliveryStatusLabels.FAILED },
  PENDING: { look: 'PENDING', word: deliveryStatusLabels.PENDING },
} as const

export function DeliveryLabel({ status }: { status: Delivery['status'] }) {
  return <LabelledShape {...looks[status]} />
}

const errors: Readonly<Record<NonNullable<Attempt['error']>, string>> = {
  TIMEOUT: 'Timeout',
  DNS: 'Hostname could not be resolved',
  CONNECT: 'Connection failed',
  TLS: 'TLS handshake failed. Check the certificate',
  BLOCKED_ADDRESS: 'Blocked: the address is not public',
  REDIRECT: 'Redirects are not followed',
  STATUS: 'The response was not 2xx',
}

/** Result of an attempt. */
export function outcomeOf({ outcome, responseStatus, error }: Attempt): string {
  const answered = responseStatus === null ? '' : `HTTP ${responseStatus}`
  if (outcome === 'SUCCEEDED') return answered === '' ? 'Succeeded' : `Succeeded: ${answered}`
  if (error === null || error === 'STATUS') return answered === '' ? 'Failed' : `Failed: ${answered}`
  return answered === '' ? errors[error] : `${errors[error]} (${answered})`
}

export function EndpointLabel({ endpoint }: { endpoint: Endpoint }) {
  if (endpoint.enabled) return <LabelledShape look="UP" word="Enabled" />
  return endpoint.disabledReason === null ? (
    <LabelledShape look="PAUSED" word="Disabled" />
  ) : (
    <LabelledShape look="DOWN" word="Disabled automatically" />
  )
}

export const reasons: Readonly<Record<NonNullable<Endpoint['disabledReason']>, string>> = {
  GONE: 'Disabled because it returned 410 Gone. Correct the URL, then enable it.',
  FAILING: 'Disabled because all deliveries failed for five days. Fix the endpoint, then enable it.',
}

/** The description, or the host without one. */
export function nameOf({ description, url }: Endpoint): string {
  return description === null || description === '' ? (URL.parse(url)?.host ?? url) : description
}

export function eventsOf({ eventTypes }: Endpoint): string {
  if (eventTypes.includes('*')) return 'all events'
  return eventTypes.length <= 3 ? eventTypes.join(', ') : `${eventTypes.length} events`
}
