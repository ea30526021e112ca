import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { fieldErrorAt } from '../../api/api-error.ts'
import { useOrganization } from '../../api/organization.tsx'
import { t } from '../../lib/i18n.ts'
import { DraftDialog } from '../../ui/draft-dialog.tsx'
import { TextField } from '../../ui/form.tsx'
import { DriftWarning } from '../../ui/managed.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useFormDraft } from '../../ui/use-form-draft.ts'
import { EventPicker, type EventTypes } from './event-picker.tsx'
import type { Endpoint } from './labels.tsx'
import { SecretOnce } from './signing-secret.tsx'

interface Values {
  readonly url: string
  readonly description: string
  readonly eventTypes: EventTypes
}

/** Creates an endpoint and shows its secret once, or edits one. */
export function EndpointForm({ endpoint, onClose }: { endpoint?: Endpoint; onClose: () => void }) {
  const { api, refresh } = useOrganization()
  const [, navigate] = useLocation()
  const form = useFormDraft<Values>(`webhook.${endpoint?.id ?? 'new'}`, {
    url: endpoint?.url ?? '',
    description: endpoint?.description ?? '',
    eventTypes: endpoint?.eventTypes ?? ['*'],
  })
  const { url, description, eventTypes } = form.draft
  const [created, setCreated] = useState<{ id: string; secret: string } | null>(null)
  const save = async () => {
    if (eventTypes.length === 0) throw fieldErrorAt('eventTypes', t('choose at least one event, or all events'))
    const body = { url, description: description.trim() === '' ? null : description, eventTypes: [...eventTypes] }
    if (endpoint === undefined) {
      const created = await api.POST('/api/v1/webhook-endpoints', { body })
      form.saved()
      setCreated(created)
      void refresh('webhook_endpoint')
      return
    }
    const path = { endpointId: endpoint.id }
    await api.PATCH('/api/v1/webhook-endpoints/{endpointId}', { path, body })
    form.saved()
    await refresh('webhook_endpoint')
    showToast(t('Endpoint saved'))
    onClose()
  }
  if (created !== null) {
    return <SecretOnce secret={created.secret} onClose={() => navigate(`/webhooks/${created.id}`)} />
  }
  return (
    <DraftDialog
      title={endpoint === undefined ? t('New webhook endpoint') : t('Edit webhook endpoint')}
      form={form}
      onSubmit={save}
      action={endpoint === undefined ? t('Create') : t('Save')}
      onClose={onClose}
    >
      {endpoint !== undefined && <DriftWarning kind="webhook_endpoint" id={endpoint.id} />}
      <TextField
        label={t('URL')}
        {...form.field('url')}
        type="url"
        required
        maxLength={2048}
        placeholder="https://example.com/hooks/pharos"
        hint={t('Receives events as POST requests, signed according to Standard Webhooks.')}
      />
      <TextField
        label={t('Description')}
        {...form.field('description')}
        maxLength={200}
        placeholder={t('What it’s for')}
      />
      <EventPicker {...form.field('eventTypes')} />
    </DraftDialog>
  )
}
