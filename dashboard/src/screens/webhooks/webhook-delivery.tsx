import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { PublicSchemas } from '../../api/client.ts'
import { useGet } from '../../api/get.ts'
import { useOrganization } from '../../api/organization.tsx'
import { plural, t } from '../../lib/i18n.ts'
import { useNow } from '../../lib/use-now.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { AbsoluteTime } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import { Attempts } from './attempts.tsx'
import { nextTry } from './failing.tsx'
import { detailOf, isFailing, nameOf, ProgressLabel } from './labels.tsx'
import { RequestPanel } from './request-panel.tsx'
import { RetryFailed } from './retry-failed.tsx'

type Detail = PublicSchemas['WebhookDeliveryDetail']
const back = { href: '/webhooks', label: t('Webhooks') }

/** A delivery with its attempts, request and responses. */
export default function WebhookDelivery({ id }: { id: string }) {
  const delivery = useGet(['webhook_delivery', id], '/api/v1/webhook-deliveries/{deliveryId}', {
    path: { deliveryId: id },
    // The event stream does not report delivery attempts.
    refetchInterval: ({ state }) => (state.data?.status === 'PENDING' ? 1_000 : 15_000),
  })
  if (delivery.data !== undefined) return <View delivery={delivery.data} />
  return (
    <ResourcePage query={delivery} title={t('Delivery')} back={back}>
      {t('Deliveries are kept for 30 days and deleted with their endpoint.')}
    </ResourcePage>
  )
}

function View({ delivery }: { delivery: Detail }) {
  const { api, may, refresh } = useOrganization()
  const endpoint = useGet(['webhook_endpoint', delivery.endpointId], '/api/v1/webhook-endpoints/{endpointId}', {
    path: { endpointId: delivery.endpointId },
  })
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<unknown>()
  const [isRetrying, setRetrying] = useState(false)
  const retry = async () => {
    setBusy(true)
    setProblem(undefined)
    const path = { deliveryId: delivery.id }
    await api
      .POST('/api/v1/webhook-deliveries/{deliveryId}/retry', { path, body: {} })
      .then(() => showToast(t('Retrying')), setProblem)
    await refresh('webhook_delivery')
    setBusy(false)
  }
  return (
    <Page
      wide
      title={delivery.eventType}
      back={{ href: `/webhooks/${delivery.endpointId}`, label: endpoint.data ? nameOf(endpoint.data) : t('Endpoint') }}
      problem={problem}
      lead={<DeliverySummary delivery={delivery} />}
      actions={
        may('MEMBER') && (
          <>
            {delivery.status === 'FAILED' && (
              <Button onClick={() => setRetrying(true)}>{t('Retry failed deliveries since this one…')}</Button>
            )}
            <Button look="primary" busy={isBusy} title={t('Sends the same event once more')} onClick={retry}>
              {t('Retry')}
            </Button>
          </>
        )
      }
    >
      <Attempts attempts={delivery.attempts} />
      <RequestPanel deliveryId={delivery.id} attempts={delivery.attempts.length} />
      <Facts delivery={delivery} />
      {isRetrying && (
        <RetryFailed
          endpointId={delivery.endpointId}
          since={Math.floor(Date.parse(delivery.createdAt) / 60_000) * 60_000}
          onClose={() => setRetrying(false)}
        />
      )}
    </Page>
  )
}

/** "Failed after 3 attempts; last response 500." */
function DeliverySummary({ delivery }: { delivery: Detail }) {
  const now = useNow(1000)
  const { status, attemptCount, nextAttemptAt, lastResponseStatus } = delivery
  const last = delivery.attempts.at(-1)
  const made = plural(attemptCount, 'attempt')
  const words = {
    SUCCEEDED: t('after {made}', { made }),
    FAILED: t('after {made}{value}', {
      made,
      value: lastResponseStatus === null ? '' : t(', last response HTTP {lastResponseStatus}', { lastResponseStatus }),
    }),
    PENDING:
      nextAttemptAt === null || last === undefined || !isFailing(delivery)
        ? t('The first attempt is in progress')
        : t('{tried}. {next}', { tried: `${detailOf(last)}, ${made}`, next: nextTry(nextAttemptAt, now) }),
  }[status]
  return (
    <span class="flex flex-wrap gap-x-3">
      <ProgressLabel delivery={delivery} />
      <span>{words}</span>
    </span>
  )
}

function Facts({ delivery }: { delivery: Detail }) {
  return (
    <Section title={t('Details')}>
      <dl class="card grid items-center gap-x-6 gap-y-2 p-4 sm:grid-cols-[auto_1fr]">
        <dt class="text-muted">{t('Event ID')}</dt>
        <dd class="flex items-center gap-1">
          <code class="break-all">{delivery.eventId}</code>
          <CopyButton text={delivery.eventId} label={t('Copy event ID')} />
        </dd>
        <dt class="text-muted">{t('Delivery ID')}</dt>
        <dd class="flex items-center gap-1">
          <code class="break-all">{delivery.id}</code>
          <CopyButton text={delivery.id} label={t('Copy delivery ID')} />
        </dd>
        <dt class="text-muted">{t('Created')}</dt>
        <dd>
          <AbsoluteTime at={delivery.createdAt} />
        </dd>
        {delivery.completedAt !== null && (
          <>
            <dt class="text-muted">{delivery.status === 'FAILED' ? t('Failed') : t('Completed')}</dt>
            <dd>
              <AbsoluteTime at={delivery.completedAt} />
            </dd>
          </>
        )}
        <dt class="text-muted">{t('More')}</dt>
        <dd>
          <Link class="link" href={`/webhooks/${delivery.endpointId}?event=${encodeURIComponent(delivery.eventType)}`}>
            {t('Other deliveries of this event type')}
          </Link>
        </dd>
      </dl>
    </Section>
  )
}
