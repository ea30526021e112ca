import { useState } from 'preact/hooks'
import { useOrganization } from '../../api/organization.tsx'
import { exactTime } from '../../lib/format.ts'
import { t, tx } from '../../lib/i18n.ts'
import { useNow } from '../../lib/use-now.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { ConfirmButton, Dialog } from '../../ui/dialog.tsx'
import { Section } from '../../ui/page.tsx'
import type { Endpoint } from './labels.tsx'

/** Shows a secret once. */
export function SecretOnce({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <Dialog title={t('Signing secret')} onClose={onClose} shownOnce={t('Have you saved the signing secret?')}>
      <p class="mb-3">
        {tx('All requests to this endpoint are signed with this secret. {name}, so copy it now.', {
          name: <strong>{t('It won’t be shown again')}</strong>,
        })}
      </p>
      <div class="flex items-center gap-1 rounded-md border border-line bg-ground p-2">
        <code class="min-w-0 grow break-all" data-secret>
          {secret}
        </code>
        <CopyButton text={secret} label={t('Copy secret')} />
      </div>
      <div class="mt-4 flex justify-end">
        <Button look="primary" onClick={onClose}>
          {t('I’ve copied it')}
        </Button>
      </div>
    </Dialog>
  )
}

/** Current and previous secret, and rotation. */
export function SecretPanel({ endpoint }: { endpoint: Endpoint }) {
  const { api, may, refresh } = useOrganization()
  const [secret, setSecret] = useState<string | null>(null)
  const now = useNow(1000)
  const until = endpoint.previousSecretExpiresAt
  const left = until === null ? 0 : (Date.parse(until) - now) / 1000
  const rotate = async () => {
    const path = { endpointId: endpoint.id }
    const rotated = await api.POST('/api/v1/webhook-endpoints/{endpointId}/rotate-secret', { path, body: {} })
    setSecret(rotated.secret)
    await refresh('webhook_endpoint')
  }
  return (
    <Section
      title={t('Signing secret')}
      actions={
        may('MEMBER') && (
          <ConfirmButton label={t('Rotate secret')} title={t('Rotate secret?')} action={t('Rotate')} onConfirm={rotate}>
            <p>
              {tx('Creates a new secret and shows it once. For 24 hours, requests are signed with both.{value}', {
                value: left > 0 && t(' The previous secret stops working immediately.'),
              })}
            </p>
          </ConfirmButton>
        )
      }
    >
      <div class="card p-4">
        {until !== null && left > 0 ? (
          <p>
            {tx(
              'Requests are signed with the new and the previous secret. The previous one is valid for {name} more, until {until}.',
              { name: <strong title={exactTime(until)}>{countdown(left)}</strong>, until: exactTime(until) },
            )}
          </p>
        ) : (
          <p class="text-muted">
            {t(
              'Shown only once, when it was created. If it is lost or leaked, rotate it: the old secret stays valid for 24 hours.',
            )}
          </p>
        )}
      </div>
      {secret !== null && <SecretOnce secret={secret} onClose={() => setSecret(null)} />}
    </Section>
  )
}

/** "23 h 59 min"; with seconds in the last hour. */
function countdown(seconds: number): string {
  const [h, min, s] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), Math.floor(seconds % 60)]
  return h > 0 ? t('{h} h {min} min', { h, min }) : t('{min} min {s} s', { min, s })
}
