import type { PublicSchemas } from '../../api/client.ts'
import { LabelledShape } from '../../ui/labelled-shape.tsx'

export type Endpoint = PublicSchemas['WebhookEndpoint']
export type Delivery = PublicSchemas['WebhookDelivery']
export type Attempt = PublicSchemas['WebhookAttempt']

const looks = {
  SUCCEEDED: { look: 'UP', word: 'Succeeded' },
  FAILED: { look: 'DOWN', word: 'Failed' },
  PENDING: { look: 'PENDING', word: 'Pending' },
} as const

export function DeliveryLabel({ status }: { status: Delivery['status'] }) {
  return <LabelledShape {...looks[status]} />
}

const errors: Readonly<Record<NonNullable<Attempt['error']>, string>> = {
  TIMEOUT: 'No answer in time',
  DNS: 'The host name could not be resolved',
  CONNECT: 'No connection',
  TLS: 'The TLS handshake failed: is the certificate right?',
  BLOCKED_ADDRESS: 'The address is not a public one, and this installation sends nothing there',
  REDIRECT: 'It answered with a redirect, which is not followed',
  STATUS: 'The answer was not a 2xx',
}

/** Result of an attempt. */
export function outcomeOf({ outcome, responseStatus, error }: Attempt): string {
  const answered = responseStatus === null ? '' : `answered ${responseStatus}`
  if (outcome === 'SUCCEEDED') return answered === '' ? 'Taken' : `Taken: ${answered}`
  if (error === null || error === 'STATUS') return answered === '' ? 'Failed' : `Refused: ${answered}`
  return answered === '' ? errors[error] : `${errors[error]} (${answered})`
}

export function EndpointLabel({ endpoint }: { endpoint: Endpoint }) {
  if (endpoint.enabled) return <LabelledShape look="UP" word="Enabled" />
  return endpoint.disabledReason === null ? (
    <LabelledShape look="PAUSED" word="Disabled" />
  ) : (
    <LabelledShape look="DOWN" word="Disabled by the service" />
  )
}

export const reasons: Readonly<Record<NonNullable<Endpoint['disabledReason']>, string>> = {
  GONE: 'It answered 410 Gone, so nothing more is sent to it. Enable it once the address is right.',
  FAILING: 'Everything sent to it failed for five days, so nothing more is sent. Enable it once it answers again.',
}

/** The description, or the host without one. */
export function nameOf({ description, url }: Endpoint): string {
  return description === null || description === '' ? (URL.parse(url)?.host ?? url) : description
}

export function eventsOf({ eventTypes }: Endpoint): string {
  if (eventTypes.includes('*')) return 'everything'
  return eventTypes.length <= 3 ? eventTypes.join(', ') : `${eventTypes.length} kinds of events`
}
