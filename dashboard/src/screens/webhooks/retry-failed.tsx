import { useState } from 'preact/hooks'
import { useGet } from '../../api/get.ts'
import { useOrganization } from '../../api/organization.tsx'
import { localZone } from '../../lib/format.ts'
import { plural, t } from '../../lib/i18n.ts'
import { timeFromInput, wallClockText } from '../../lib/time-zones.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Form, TextField } from '../../ui/form.tsx'
import { showToast } from '../../ui/toast.tsx'

interface Props {
  readonly endpointId: string
  /** Default start time. */
  readonly since: number
  readonly onClose: () => void
}

/** Retries all failed deliveries since a given time, after showing their number. */
export function RetryFailed({ endpointId, since, onClose }: Props) {
  const { api, refresh } = useOrganization()
  const [text, setText] = useState(() => wallClockText(since, localZone))
  const moment = timeFromInput(text, localZone)
  const createdAfter = moment === undefined ? undefined : new Date(moment).toISOString()
  const failed = useGet('webhook_delivery', '/api/v1/webhook-deliveries', {
    query: { endpointId, status: 'FAILED', createdAfter, limit: 1 },
    enabled: createdAfter !== undefined,
    staleTime: 0,
  })
  const retry = async () => {
    if (createdAfter === undefined) return
    const path = { endpointId }
    let retried = 0
    for (let more = true; more; ) {
      const part = await api.POST('/api/v1/webhook-endpoints/{endpointId}/retry-failed', {
        path,
        body: { since: createdAfter },
      })
      retried += part.retried
      more = part.more && part.retried > 0
    }
    await refresh('webhook_delivery')
    showToast(
      retried === 0
        ? t('No failed deliveries to retry')
        : t('Retrying {retried}', { retried: plural(retried, 'delivery', 'deliveries') }),
    )
    onClose()
  }
  const count = failed.data?.pagination.total
  return (
    <Dialog title={t('Retry failed deliveries')} onClose={onClose}>
      <Form onSubmit={retry} action={t('Retry')} onCancel={onClose}>
        <TextField
          label={t('Since ({localZone})', { localZone })}
          path="since"
          type="datetime-local"
          value={text}
          onValue={setText}
          required
        />
        <p role="status">
          {count === undefined
            ? t('Counting…')
            : count === 0
              ? t('No failed deliveries since then.')
              : t('{count} failed since then. Each is retried once, oldest first.', {
                  count: plural(count, 'delivery has', 'deliveries have'),
                })}
        </p>
      </Form>
    </Dialog>
  )
}
