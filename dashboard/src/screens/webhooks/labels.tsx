import type { PublicSchemas } from '../../api/client.ts'
import { t } from '../../lib/i18n.ts'
import { deliveryStatusLabels } from '../../lib/labels.ts'
import { LabelledShape } from '../../ui/state.tsx'

export type Endpoint = PublicSchemas['WebhookEndpoint']
export type Delivery = PublicSchemas['WebhookDelivery']
export type Attempt = PublicSchemas['WebhookAttempt']

const looks = { SUCCEEDED: 'UP', FAILED: 'DOWN', PENDING: 'PENDING' } as const

export function DeliveryLabel({ status }: { status: Delivery['status'] }) {
  return <LabelledShape look={looks[status]} word={deliveryStatusLabels[status]} />
}

/** Waits for its next attempt after one that failed. */
export function isFailing({ status, attemptCount }: Delivery): boolean {
  return status === 'PENDING' && attemptCount > 0
}

/** "Failing" instead of "Pending" after a failed attempt. */
export function ProgressLabel({ delivery }: { delivery: Delivery }) {
  return isFailing(delivery) ? (
    <LabelledShape look="DOWN" word={t('Failing')} />
  ) : (
    <DeliveryLabel status={delivery.status} />
  )
}

const errors: Readonly<Record<NonNullable<Attempt['error']>, string>> = {
  TIMEOUT: t('Timeout'),
  DNS: t('Hostname could not be resolved'),
  CONNECT: t('Connection failed'),
  TLS: t('TLS handshake failed. Check the certificate'),
  BLOCKED_ADDRESS: t('Blocked: the address is not public'),
  REDIRECT: t('Redirects are not followed'),
  STATUS: t('The response was not 2xx'),
}

/** What the endpoint answered, or why it did not. */
export function detailOf({ responseStatus, error }: Pick<Attempt, 'responseStatus' | 'error'>): string {
  const answered = responseStatus === null ? '' : t('HTTP {responseStatus}', { responseStatus })
  if (error === null || error === 'STATUS') return answered
  return answered === '' ? errors[error] : `${errors[error]} (${answered})`
}

export function EndpointLabel({ endpoint, failing }: { endpoint: Endpoint; failing: boolean }) {
  if (endpoint.enabled && failing) return <LabelledShape look="DOWN" word={t('Failing')} />
  if (endpoint.enabled) return <LabelledShape look="UP" word={t('Enabled')} />
  return endpoint.disabledReason === null ? (
    <LabelledShape look="PAUSED" word={t('Disabled')} />
  ) : (
    <LabelledShape look="DOWN" word={t('Disabled automatically')} />
  )
}

export const reasons: Readonly<Record<NonNullable<Endpoint['disabledReason']>, string>> = {
  GONE: t('Disabled because it returned 410 Gone. Correct the URL, then enable it.'),
  FAILING: t('Disabled because all deliveries failed for five days. Fix the endpoint, then enable it.'),
}

/** The description, or the host without one. */
export function nameOf({ description, url }: Endpoint): string {
  return description === null || description === '' ? (URL.parse(url)?.host ?? url) : description
}

export function eventsOf({ eventTypes }: Endpoint): string {
  if (eventTypes.includes('*')) return t('all events')
  return eventTypes.length <= 3 ? eventTypes.join(', ') : t('{length} events', { length: eventTypes.length })
}
