import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { useGet } from '../../api/get.ts'
import { useOrganization } from '../../api/organization.tsx'
import { t, tx } from '../../lib/i18n.ts'
import { type RunningAction, useRunningAction } from '../../lib/running-action.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { ConfirmButton } from '../../ui/dialog.tsx'
import { ManagedBy } from '../../ui/managed.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { showToast } from '../../ui/toast.tsx'
import { DeliveryList } from './delivery-list.tsx'
import { EndpointForm } from './endpoint-form.tsx'
import { EndpointHealth } from './endpoint-health.tsx'
import { FailingSince, useFailing } from './failing.tsx'
import { type Endpoint, EndpointLabel, nameOf, reasons } from './labels.tsx'
import { RetryFailed } from './retry-failed.tsx'
import { SecretPanel } from './signing-secret.tsx'

const back = { href: '/webhooks', label: t('Webhooks') }
const DAY_MS = 86_400_000

export default function WebhookEndpoint({ id }: { id: string }) {
  const endpoint = useGet(['webhook_endpoint', id], '/api/v1/webhook-endpoints/{endpointId}', {
    path: { endpointId: id },
    refetchInterval: 30_000,
  })
  if (endpoint.data !== undefined) return <View endpoint={endpoint.data} />
  return <ResourcePage query={endpoint} title={t('Webhook endpoint')} back={back} />
}

function View({ endpoint }: { endpoint: Endpoint }) {
  const { may } = useOrganization()
  const query = { endpointId: endpoint.id, status: 'FAILED', limit: 1 } as const
  const failed = useGet('webhook_delivery', '/api/v1/webhook-deliveries', { query, refetchInterval: 10_000 })
  const failure = useFailing().get(endpoint.id)
  const [open, setOpen] = useState<'edit' | 'retry' | null>(null)
  const doing = useRunningAction()
  const close = () => setOpen(null)
  return (
    <Page
      wide
      title={nameOf(endpoint)}
      back={back}
      problem={doing.problem}
      lead={
        <span class="flex flex-wrap items-center gap-x-3">
          <EndpointLabel endpoint={endpoint} failing={failure !== undefined} />
          <span class="break-all">{endpoint.url}</span>
          {/* Viewers see a shortened URL. */}
          {may('MEMBER') && <CopyButton text={endpoint.url} label={t('Copy URL')} />}
          <ManagedBy kind="webhook_endpoint" id={endpoint.id} />
        </span>
      }
      actions={
        may('MEMBER') && (
          <>
            <TestButton endpoint={endpoint} doing={doing} />
            <Switch endpoint={endpoint} doing={doing} />
            <Button onClick={() => setOpen('edit')}>{t('Edit')}</Button>
            <DeleteButton endpoint={endpoint} />
          </>
        )
      }
    >
      {endpoint.disabledReason !== null && (
        <p role="status" class="mb-6 rounded-md border border-down bg-down-soft p-4 text-down-text">
          {reasons[endpoint.disabledReason]}
        </p>
      )}
      {failure && (
        <p role="status" class="mb-6 rounded-md border border-down bg-down-soft p-4">
          <FailingSince failure={failure} />
        </p>
      )}
      <div class="grid grid-cols-1 items-start gap-x-8 lg:grid-cols-2">
        <Section title={t('Health')}>
          <div class="card p-4">
            <EndpointHealth endpointId={endpoint.id} />
          </div>
        </Section>
        <SecretPanel endpoint={endpoint} />
      </div>
      <Events endpoint={endpoint} />
      <Section
        title={t('Deliveries')}
        actions={
          may('MEMBER') && (
            <Button
              disabled={!endpoint.enabled || failed.data?.pagination.total === 0}
              title={
                !endpoint.enabled
                  ? t('Enable the endpoint first')
                  : failed.data?.pagination.total === 0
                    ? t('There are no failed deliveries')
                    : undefined
              }
              onClick={() => setOpen('retry')}
            >
              {t('Retry failed deliveries…')}
            </Button>
          )
        }
      >
        <DeliveryList endpointId={endpoint.id} endpoints={[endpoint]} />
      </Section>
      {open === 'edit' && <EndpointForm endpoint={endpoint} onClose={close} />}
      {open === 'retry' && <RetryFailed endpointId={endpoint.id} since={Date.now() - DAY_MS} onClose={close} />}
    </Page>
  )
}

function Events({ endpoint }: { endpoint: Endpoint }) {
  const isAll = endpoint.eventTypes.includes('*')
  return (
    <Section title={t('Events')} lead={isAll ? t('All events, including future ones') : undefined}>
      {!isAll && (
        <ul class="flex flex-wrap gap-1.5">
          {endpoint.eventTypes.map((type) => (
            <li key={type} class="rounded border border-line bg-surface px-2 py-0.5">
              <code>{type}</code>
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}

interface EndpointActionProps {
  readonly endpoint: Endpoint
  readonly doing: RunningAction
}

function TestButton({ endpoint, doing }: EndpointActionProps) {
  const { api, refresh } = useOrganization()
  const [, navigate] = useLocation()
  const test = async () => {
    const path = { endpointId: endpoint.id }
    const delivery = await api.POST('/api/v1/webhook-endpoints/{endpointId}/test', { path, body: {} })
    void refresh('webhook_delivery')
    navigate(`/webhooks/deliveries/${delivery.id}`)
  }
  return (
    <Button
      look={endpoint.enabled ? 'primary' : 'plain'}
      busy={doing.busy === 'test'}
      disabled={!endpoint.enabled}
      title={endpoint.enabled ? t('Sends a webhook.test event and shows the result') : t('Enable the endpoint first')}
      onClick={() => void doing.run('test', test)}
    >
      {t('Send test')}
    </Button>
  )
}

function Switch({ endpoint, doing }: EndpointActionProps) {
  const { api, refresh } = useOrganization()
  const set = async () => {
    const body = { enabled: !endpoint.enabled }
    try {
      await api.PATCH('/api/v1/webhook-endpoints/{endpointId}', { path: { endpointId: endpoint.id }, body })
      showToast(body.enabled ? t('Endpoint enabled') : t('Endpoint disabled'))
    } finally {
      await refresh('webhook_endpoint')
    }
  }
  return (
    <Button
      look={endpoint.enabled ? 'plain' : 'primary'}
      busy={doing.busy === 'set'}
      onClick={() => void doing.run('set', set)}
    >
      {endpoint.enabled ? t('Disable') : t('Enable')}
    </Button>
  )
}

function DeleteButton({ endpoint }: { endpoint: Endpoint }) {
  const { api, refresh } = useOrganization()
  const [, navigate] = useLocation()
  const remove = async () => {
    const path = { endpointId: endpoint.id }
    await api.DELETE('/api/v1/webhook-endpoints/{endpointId}', { path })
    showToast(t('Endpoint deleted'))
    navigate('/webhooks')
    void refresh('webhook_endpoint', 'webhook_delivery')
  }
  return (
    <ConfirmButton
      label={t('Delete')}
      look="danger"
      title={t('Delete {endpoint}?', { endpoint: nameOf(endpoint) })}
      action={t('Delete permanently')}
      onConfirm={remove}
    >
      <p>
        {tx('Events are no longer sent to {name}. Its deliveries, attempts and secret are deleted.', {
          name: <strong class="break-all">{endpoint.url}</strong>,
        })}
      </p>
    </ConfirmButton>
  )
}
