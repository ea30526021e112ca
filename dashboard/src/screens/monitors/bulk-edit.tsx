import { useState } from 'preact/hooks'
import { useContacts } from '../../api/lists.ts'
import { useOrganization } from '../../api/organization.tsx'
import { plural, t } from '../../lib/i18n.ts'
import { channelLabel } from '../../lib/labels.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Form } from '../../ui/form.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { choicesOf, Select } from '../../ui/select.tsx'
import { showToast } from '../../ui/toast.tsx'
import { type BulkTarget, countOf, requireAll, useMonitorActions } from './actions.ts'
import { isChosenByHand, whyUnused } from './contact-choice.tsx'
import { useIntervalLimits } from './default-interval.ts'
import { DurationField } from './duration-field.tsx'

const contactChanges = choicesOf({ keep: t('Keep as is'), attach: t('Send alerts'), detach: t('Don’t send alerts') })
type ContactChange = (typeof contactChanges)[number]['value']

/** Changes the interval and the alert contacts of several monitors. */
export default function BulkEdit({ target, onClose }: { target: BulkTarget; onClose: () => void }) {
  const { refresh } = useOrganization()
  const { update } = useMonitorActions()
  const { limits, allowed } = useIntervalLimits()
  const [intervalSeconds, setInterval] = useState<number | null>(null)
  const [contacts, setContacts] = useState<Readonly<Record<string, ContactChange>>>({})
  const chosen = (change: ContactChange) => Object.keys(contacts).filter((id) => contacts[id] === change)
  const save = async () => {
    const [attachContactIds, detachContactIds] = [chosen('attach'), chosen('detach')]
    if (intervalSeconds === null && attachContactIds.length + detachContactIds.length === 0) {
      throw new Error(t('Choose an interval or an alert contact to change.'))
    }
    const result = await update(target, {
      ...(intervalSeconds !== null && { intervalSeconds }),
      ...(attachContactIds.length > 0 && { attachContactIds }),
      ...(detachContactIds.length > 0 && { detachContactIds }),
    })
    await refresh('monitor', 'contact')
    requireAll(result, target)
    showToast(t('{length} saved', { length: plural(result.data.length, 'monitor') }))
    onClose()
  }
  return (
    <Dialog title={t('Edit {length}', { length: plural(countOf(target), 'monitor') })} onClose={onClose}>
      <Form onSubmit={save} action={t('Save changes')} onCancel={onClose} class="space-y-5">
        <DurationField
          label={t('Check interval')}
          path="intervalSeconds"
          value={intervalSeconds}
          onValue={setInterval}
          {...limits}
          required={false}
          initialUnit={60}
          hint={t('Leave empty to keep. {allowed}. Cron jobs keep their expected period.', { allowed })}
        />
        <Contacts changes={contacts} onChange={(id, change) => setContacts({ ...contacts, [id]: change })} />
      </Form>
    </Dialog>
  )
}

interface ContactsProps {
  readonly changes: Readonly<Record<string, ContactChange>>
  readonly onChange: (id: string, change: ContactChange) => void
}

function Contacts({ changes, onChange }: ContactsProps) {
  const contacts = useContacts()
  return (
    <fieldset>
      <legend class="mb-1 font-medium">{t('Alert contacts')}</legend>
      <QueryResult query={contacts} lines={2}>
        {(data) => {
          const choices = data.filter(isChosenByHand)
          if (choices.length === 0) {
            const why = data.length === 0 ? t('No alert contacts yet') : t('All alert contacts follow labels.')
            return <p class="text-muted">{why}</p>
          }
          return (
            <ul class="max-h-60 divide-y divide-line overflow-y-auto rounded-md border border-line">
              {choices.map(({ id, name, channel, ...use }) => (
                <li key={id} class="flex flex-wrap items-center gap-2 px-3 py-2">
                  <span class="min-w-0 grow basis-40">
                    {name} <span class="text-xs text-muted">{channelLabel(channel) + whyUnused(use)}</span>
                  </span>
                  <Select
                    aria-label={t('Alerts to {name}', { name })}
                    value={changes[id] ?? 'keep'}
                    onValue={(change) => onChange(id, change)}
                    choices={contactChanges}
                  />
                </li>
              ))}
            </ul>
          )
        }}
      </QueryResult>
    </fieldset>
  )
}
