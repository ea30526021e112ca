import { useQuery } from '@tanstack/preact-query'
import { Terminal } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { unwrap } from '../../api/client.ts'
import { useOrganization } from '../../api/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Section } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { SegmentedControl } from '../../ui/segmented-control.tsx'
import { asCurl } from './as-curl.ts'

/** Headers and body of the request. Refetched when `attempts` changes. */
export function RequestPanel({ deliveryId, attempts }: { deliveryId: string; attempts: number }) {
  const { app, key } = useOrganization()
  const [look, setLook] = useState<'bytes' | 'readable'>('bytes')
  const [isCurl, setCurl] = useState(false)
  const request = useQuery({
    queryKey: key('webhook_delivery', deliveryId, 'request', attempts),
    queryFn: () =>
      unwrap(app.GET('/app/api/webhook-deliveries/{deliveryId}/request', { params: { path: { deliveryId } } })),
  })
  return (
    <Section
      title="Request"
      actions={
        request.data && (
          <>
            <SegmentedControl
              label="Body format"
              value={look}
              choices={[
                { value: 'bytes', label: 'Raw' },
                { value: 'readable', label: 'Formatted' },
              ]}
              onValue={setLook}
            />
            <Button icon={<Terminal size={16} aria-hidden="true" />} onClick={() => setCurl(true)}>
              Copy as curl
            </Button>
          </>
        )
      }
    >
      <QueryResult query={request} lines={4}>
        {({ url, headers, body }) => (
          <div class="space-y-3">
            <CodeBlock
              label="Headers"
              wrap
              text={[
                `POST ${url}`,
                ...Object.entries(headers).map(([name, value]) => `${name}: ${value ?? '(set on the first attempt)'}`),
                'webhook-signature: v1,… (new for every attempt, not stored)',
              ].join('\n')}
            />
            {look === 'bytes' ? (
              <CodeBlock label="Body, raw" text={body} wrap />
            ) : (
              <CodeBlock label="Body, formatted" text={indented(body)} />
            )}
            <p class="text-xs text-muted">
              {look === 'bytes'
                ? `These ${new TextEncoder().encode(body).length.toLocaleString()} bytes are signed together with the webhook-id and webhook-timestamp headers.`
                : 'Formatted for reading. The signature covers the raw body.'}
            </p>
            {isCurl && (
              <Dialog title="Copy as curl" onClose={() => setCurl(false)}>
                <p class="mb-3 text-muted">
                  Doesn’t include the signature, so endpoints that verify it will reject this request.
                </p>
                <CodeBlock label="curl command" text={asCurl({ url, headers, body })} wrap />
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
