import { useQuery } from '@tanstack/preact-query'
import { Terminal } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { useOrganization } from '../../api/organization.tsx'
import { number } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Section } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { SegmentedControl } from '../../ui/segmented-control.tsx'
import { asCurl } from './as-curl.ts'

/** Headers and body of the request. Refetched when `attempts` changes. */
export function RequestPanel({ deliveryId, attempts }: { deliveryId: string; attempts: number }) {
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
              choices={[
                { value: 'bytes', label: t('Raw') },
                { value: 'readable', label: t('Formatted') },
              ]}
              onValue={setLook}
            />
            <Button icon={<Terminal size={16} aria-hidden="true" />} onClick={() => setCurl(true)}>
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
