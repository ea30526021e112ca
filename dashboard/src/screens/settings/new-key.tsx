import { useState } from 'preact/hooks'
import type { AppSchemas } from '../../api/client.ts'
import { useOrganization } from '../../api/organization.tsx'
import { localZone } from '../../lib/format.ts'
import { t, tx } from '../../lib/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Form, NameField, SelectField, TextField } from '../../ui/form.tsx'
import { choicesOf } from '../../ui/select.tsx'

type CreatedKey = AppSchemas['CreatedKey']
type Lifetime = '30' | '90' | '365' | 'day' | 'never'

const DAY_MS = 86_400_000

const lifetimes: readonly { readonly value: Lifetime; readonly label: string }[] = [
  { value: '30', label: t('In 30 days') },
  { value: '90', label: t('In 90 days') },
  { value: '365', label: t('In 1 year') },
  { value: 'day', label: t('Custom date') },
  { value: 'never', label: t('Never') },
]

export function NewKey({ onClose }: { onClose: () => void }) {
  const [created, setCreated] = useState<CreatedKey | null>(null)
  return (
    <Dialog
      title={created === null ? t('New API key') : t('Copy the key now')}
      onClose={onClose}
      shownOnce={created === null ? undefined : t('Have you saved the API key?')}
    >
      {created === null ? (
        <NewKeyForm onCreated={setCreated} onClose={onClose} />
      ) : (
        <KeySecret created={created} onClose={onClose} />
      )}
    </Dialog>
  )
}

function NewKeyForm({ onCreated, onClose }: { onCreated: (created: CreatedKey) => void; onClose: () => void }) {
  const { app, refresh } = useOrganization()
  const [name, setName] = useState('')
  const [access, setAccess] = useState<'read-only' | 'full'>('read-only')
  const [lifetime, setLifetime] = useState<Lifetime>('90')
  const [day, setDay] = useState('')
  const submit = async () => {
    const body = { name, access, expiresAt: endOf(lifetime, day) }
    const created = await app.POST('/app/api/keys', { body })
    await refresh('key')
    onCreated(created)
  }
  return (
    <Form action={t('Create key')} onSubmit={submit} onCancel={onClose}>
      <NameField autoFocus hint={t('What it’s for, for example “deploy script”')} value={name} onValue={setName} />
      <SelectField
        label={t('Access')}
        path="access"
        value={access}
        onValue={setAccess}
        hint={
          access === 'full'
            ? t('Can read and change everything in this organization')
            : t('Can read everything, can’t change anything')
        }
        choices={choicesOf({ 'read-only': t('Read-only'), full: t('Full access') })}
      />
      <SelectField label={t('Expires')} path="life" value={lifetime} onValue={setLifetime} choices={lifetimes} />
      {lifetime === 'day' && (
        <TextField
          label={t('Last day')}
          path="expiresAt"
          type="date"
          required
          value={day}
          onValue={setDay}
          min={new Date(Date.now() + DAY_MS).toISOString().slice(0, 10)}
          hint={t('Valid until the end of this day in your time zone, {localZone}', { localZone })}
        />
      )}
    </Form>
  )
}

function endOf(lifetime: Lifetime, day: string): string | null {
  if (lifetime === 'never') return null
  const end = lifetime === 'day' ? new Date(`${day}T23:59:59`) : new Date(Date.now() + Number(lifetime) * DAY_MS)
  return end.toISOString()
}

function KeySecret({ created, onClose, note }: { created: CreatedKey; onClose: () => void; note?: string }) {
  const example = `curl -H 'X-Api-Key: ${created.key}' ${window.location.origin}/api/v1/monitors`
  return (
    <div class="space-y-4">
      <p>
        {tx('This is the API key {name}. Copy it now: it won’t be shown again.', {
          name: <strong>{created.name}</strong>,
        })}
      </p>
      <CodeBlock text={created.key} label={t('API key')} wrap />
      <details>
        <summary class="touch cursor-pointer py-1 text-muted">{t('Test it')}</summary>
        <div class="mt-2">
          <CodeBlock text={example} label={t('Request with the key')} wrap />
        </div>
      </details>
      {note && <p class="text-muted">{note}</p>}
      <div class="flex justify-end">
        <Button look="primary" onClick={onClose}>
          {t('I’ve copied it')}
        </Button>
      </div>
    </div>
  )
}

const overlaps = [
  { value: '0', label: t('Immediately'), note: t('The old key stopped working.') },
  { value: '3600', label: t('After 1 hour'), note: t('The old key works for another hour.') },
  { value: '86400', label: t('After 1 day'), note: t('The old key works for another day.') },
  { value: '604800', label: t('After 1 week'), note: t('The old key works for another week.') },
  { value: '2592000', label: t('After 30 days'), note: t('The old key works for another 30 days.') },
] as const

type Overlap = (typeof overlaps)[number]['value']

/** Replaces a key. The old key keeps working for a while. */
export function ReplaceKey({ apiKey, onClose }: { apiKey: AppSchemas['Key']; onClose: () => void }) {
  const { app, refresh } = useOrganization()
  const [overlap, setOverlap] = useState<Overlap>('86400')
  const [created, setCreated] = useState<CreatedKey | null>(null)
  const submit = async () => {
    const path = { keyId: apiKey.id }
    const body = { overlapSeconds: Number(overlap) }
    setCreated(await app.POST('/app/api/keys/{keyId}/replace', { path, body }))
    await refresh('key')
  }
  return (
    <Dialog
      title={created === null ? t('Replace {name}', { name: apiKey.name }) : t('Copy the new key now')}
      onClose={onClose}
      shownOnce={created === null ? undefined : t('Have you saved the API key?')}
    >
      {created === null ? (
        <Form action={t('Create new key')} onSubmit={submit} onCancel={onClose}>
          <p>{t('Creates a new key with the same name, access and expiry.')}</p>
          <SelectField
            label={t('Old key stops working')}
            path="overlapSeconds"
            value={overlap}
            onValue={setOverlap}
            hint={t('Allow enough time to replace the key everywhere')}
            choices={overlaps}
          />
        </Form>
      ) : (
        <KeySecret created={created} onClose={onClose} note={overlaps.find(({ value }) => value === overlap)?.note} />
      )}
    </Dialog>
  )
}
