import { useState } from 'preact/hooks'
import { unwrap } from '../../api/client.ts'
import { useOrganization } from '../../api/organization.tsx'
import { exactTime } from '../../lib/format.ts'
import { useNow } from '../../lib/use-now.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Confirm, Dialog } from '../../ui/dialog.tsx'
import { Section } from '../../ui/page.tsx'
import type { Endpoint } from './labels.tsx'

/** Shows a secret once. */
export function SecretOnce({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <Dialog title="Signing secret" onClose={onClose} shownOnce>
      <p class="mb-3">
        All requests to this endpoint are signed with this secret. <strong>It won’t be shown again</strong>, so copy it
        now.
      </p>
      <div class="flex items-center gap-1 rounded-md border border-line bg-ground p-2">
        <code class="min-w-0 grow break-all" data-secret>
          {secret}
        </code>
        <CopyButton text={secret} label="Copy secret" />
      </div>
      <div class="mt-4 flex justify-end">
        <Button look="primary" onClick={onClose}>
          I’ve copied it
        </Button>
      </div>
    </Dialog>
  )
}

/** Current and previous secret, and rotation. */
export function SecretPanel({ endpoint }: { endpoint: Endpoint }) {
  const { api, may, refresh } = useOrganization()
  const [isAsking, setAsking] = useState(false)
  const [secret, setSecret] = useState<string | null>(null)
  const now = useNow(1000)
  const until = endpoint.previousSecretExpiresAt
  const left = until === null ? 0 : (Date.parse(until) - now) / 1000
  const rotate = async () => {
    const path = { endpointId: endpoint.id }
    const rotated = await unwrap(
      api.POST('/api/v1/webhook-endpoints/{endpointId}/rotate-secret', { params: { path }, body: {} }),
    )
    setSecret(rotated.secret)
    await refresh('webhook_endpoint')
  }
  return (
    <Section
      title="Signing secret"
      actions={may('MEMBER') && <Button onClick={() => setAsking(true)}>Rotate secret</Button>}
    >
      <div class="card p-4">
        {until !== null && left > 0 ? (
          <p>
            Requests are signed with the new and the previous secret. The previous one is valid for{' '}
            <strong title={exactTime(until)}>{countdown(left)}</strong> more, until {exactTime(until)}.
          </p>
        ) : (
          <p class="text-muted">
            Shown only once, when it was created. If it is lost or leaked, rotate it: the old secret stays valid for 24
            hours.
          </p>
        )}
      </div>
      {isAsking && (
        <Confirm title="Rotate secret?" action="Rotate" onConfirm={rotate} onClose={() => setAsking(false)}>
          <p>
            Creates a new secret and shows it once. For 24 hours, requests are signed with both.
            {left > 0 && ' The previous secret stops working immediately.'}
          </p>
        </Confirm>
      )}
      {secret !== null && <SecretOnce secret={secret} onClose={() => setSecret(null)} />}
    </Section>
  )
}

/** "23 h 59 min"; with seconds in the last hour. */
function countdown(seconds: number): string {
  const [h, min, s] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), Math.floor(seconds % 60)]
  return h > 0 ? `${h} h ${min} min` : `${min} min ${s} s`
}
