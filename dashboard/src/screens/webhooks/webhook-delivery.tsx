import { useQuery } from '@tanstack/preact-query'
import { Terminal } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { PublicSchemas } from '../../api/client.ts'
import { useGet } from '../../api/get.ts'
import { useOrganization } from '../../api/organization.tsx'
import { milliseconds, number } from '../../lib/format.ts'
import { plural, t, tx } from '../../lib/i18n.ts'
import { useRunningAction } from '../../lib/running-action.ts'
import { useNow } from '../../lib/use-now.ts'
import { Button } from '../../ui/button.tsx'
import { CodeBlock, CopyButton } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { SegmentedControl } from '../../ui/segmented-control.tsx'
import { choicesOf } from '../../ui/select.tsx'
import { AbsoluteTime } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import { nextTry } from './failing.tsx'
import { type Attempt, DeliveryLabel, detailOf, isFailing, nameOf, ProgressLabel } from './labels.tsx'
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
  const doing = useRunningAction()
  const [isRetrying, setRetrying] = useState(false)
  const retry = async () => {
    try {
      await api.POST('/api/v1/webhook-deliveries/{deliveryId}/retry', { path: { deliveryId: delivery.id }, body: {} })
      showToast(t('Retrying'))
    } finally {
      await refresh('webhook_delivery')
    }
  }
  return (
    <Page
      wide
      title={delivery.eventType}
      back={{ href: `/webhooks/${delivery.endpointId}`, label: endpoint.data ? nameOf(endpoint.data) : t('Endpoint') }}
      problem={doing.problem}
      lead={<DeliverySummary delivery={delivery} />}
      actions={
        may('MEMBER') && (
          <>
            {delivery.status === 'FAILED' && (
              <Button onClick={() => setRetrying(true)}>{t('Retry failed deliveries since this one…')}</Button>
            )}
            <Button
              look="primary"
              busy={doing.busy !== null}
              title={t('Sends the same event once more')}
              onClick={() => void doing.run('retry', retry)}
            >
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
        : t('{tried}. {next}', {
            tried: `${detailOf(last)}, ${plural(attemptCount, 'try', 'tries')}`,
            next: nextTry(nextAttemptAt, now),
          }),
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

/** Attempts, latest first; the latest is expanded. */
function Attempts({ attempts }: { attempts: readonly Attempt[] }) {
  return (
    <Section title={t('Attempts')}>
      {attempts.length === 0 && <p class="card p-4 text-muted">{t('No attempts yet.')}</p>}
      <ol class="space-y-2">
        {attempts.toReversed().map((attempt, i) => (
          <li key={attempt.id}>
            <details class="card" open={i === 0}>
              <summary class="touch flex cursor-pointer flex-wrap items-baseline gap-x-4 px-4 py-2.5">
                <span class="w-24 font-semibold">{tx('Attempt {number}', { number: attempt.number })}</span>
                <DeliveryLabel status={attempt.outcome} />
                <span class="grow">{detailOf(attempt)}</span>
                <span class="text-muted">
                  {milliseconds(attempt.durationMs)}
                  {attempt.trigger === 'MANUAL' && t(' · manual')}
                </span>
              </summary>
              <div class="space-y-2 border-t border-line p-4">
                <p class="text-muted">
                  {t('Started')} <AbsoluteTime at={attempt.startedAt} />
                  {attempt.responseStatus === null && t(', no response')}
                </p>
                {attempt.responseBody !== null && attempt.responseBody !== '' && (
                  <>
                    <p class="font-medium">{t('Response body')}</p>
                    <CodeBlock
                      text={attempt.responseBody}
                      label={t('Response to attempt {number}', { number: attempt.number })}
                    />
                  </>
                )}
              </div>
            </details>
          </li>
        ))}
      </ol>
    </Section>
  )
}

/** Headers and body of the request. Refetched when `attempts` changes. */
function RequestPanel({ deliveryId, attempts }: { deliveryId: string; attempts: number }) {
  const { api, key } = useOrganization()
  const [look, setLook] = useState<'bytes' | 'readable'>('bytes')
  const [isCurl, setCurl] = useState(false)
  const request = useQuery({
    queryKey: key('webhook_delivery', deliveryId, 'request', attempts),
    queryFn: () => api.GET('/api/v1/webhook-deliveries/{deliveryId}/request', { path: { deliveryId } }),
  })
  return (
    <Section
      title={t('Request')}
      actions={
        request.data && (
          <>
            <SegmentedControl
              label={t('Body format')}
              value={look}
              choices={choicesOf({ bytes: t('Raw'), readable: t('Formatted') })}
              onValue={setLook}
            />
            <Button icon={<Terminal />} onClick={() => setCurl(true)}>
              {t('Copy as curl')}
            </Button>
          </>
        )
      }
    >
      <QueryResult query={request} lines={4}>
        {({ url, headers, body }) => (
          <div class="space-y-3">
            <CodeBlock
              label={t('Headers')}
              wrap
              text={[
                t('POST {url}', { url }),
                ...Object.entries(headers).map(
                  ([name, value]) => `${name}: ${value ?? t('(set on the first attempt)')}`,
                ),
                'webhook-signature: v1,… (new for every attempt, not stored)',
              ].join('\n')}
            />
            {look === 'bytes' ? (
              <CodeBlock label={t('Body, raw')} text={body} wrap />
            ) : (
              <CodeBlock label={t('Body, formatted')} text={indented(body)} />
            )}
            <p class="text-xs text-muted">
              {look === 'bytes'
                ? t('These {value} bytes are signed together with the webhook-id and webhook-timestamp headers.', {
                    value: number(new TextEncoder().encode(body).length),
                  })
                : t('Formatted for reading. The signature covers the raw body.')}
            </p>
            {isCurl && (
              <Dialog title={t('Copy as curl')} onClose={() => setCurl(false)}>
                <p class="mb-3 text-muted">
                  {t('Doesn’t include the signature, so endpoints that verify it will reject this request.')}
                </p>
                <CodeBlock label={t('curl command')} text={asCurl({ url, headers, body })} wrap />
              </Dialog>
            )}
          </div>
        )}
      </QueryResult>
    </Section>
  )
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}

/** Quotes text for a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

interface Request {
  readonly url: string
  readonly headers: Readonly<Record<string, string | null>>
  readonly body: string
}

/** The request as a curl command, without the signature, which is not stored: receivers that verify it will reject the request. */
function asCurl({ url, headers, body }: Request): string {
  const sent = Object.entries(headers).filter(([, value]) => value !== null)
  return [
    `curl -X POST ${quoted(url)}`,
    ...sent.map(([name, value]) => `  -H ${quoted(`${name}: ${value}`)}`),
    `  --data-raw ${quoted(body)}`,
  ].join(' \\\n')
}
