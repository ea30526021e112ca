import { useState } from 'preact/hooks'
import { type AppSchemas, unwrap } from '../../api/client.ts'
import { useOrganization } from '../../api/organization.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Form } from '../../ui/form.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { showToast } from '../../ui/toast.tsx'
import type { AlertKind } from './alert-kinds.ts'
import { ChannelFields, changesOf, knownValues } from './channel-fields.tsx'
import { KindsField } from './kinds-field.tsx'
import { NameField, nextStepFor, useChannels } from './new-contact.tsx'

interface EditContactProps {
  readonly contact: AppSchemas['Contact']
  readonly onClose: () => void
}

/** Edits a contact. The channel cannot change; monitors are chosen on their own pages. */
export function EditContact({ contact, onClose }: EditContactProps) {
  const channels = useChannels()
  return (
    <Dialog title={`Edit ${contact.name}`} onClose={onClose}>
      <QueryResult query={channels}>
        {({ data }) => {
          const schema = data.find(({ name }) => name === contact.channel)?.settings ?? {}
          return <Fields {...{ contact, schema, onClose }} />
        }}
      </QueryResult>
    </Dialog>
  )
}

interface FieldsProps extends EditContactProps {
  readonly schema: Readonly<Record<string, unknown>>
}

function Fields({ contact, schema, onClose }: FieldsProps) {
  const { app, refresh } = useOrganization()
  const [name, setName] = useState(contact.name)
  const [values, setValues] = useState(knownValues(schema, contact.settings))
  const [kinds, setKinds] = useState<readonly AlertKind[]>(contact.kinds)
  const submit = async () => {
    const settings = changesOf(schema, contact.settings, values)
    const body = { name, kinds: [...kinds], ...(Object.keys(settings).length > 0 && { settings }) }
    const saved = await unwrap(
      app.PATCH('/app/api/contacts/{contactId}', { params: { path: { contactId: contact.id } }, body }),
    )
    await refresh('contact', 'monitor')
    showToast(`${name} saved. ${nextStepFor(saved)}`)
    onClose()
  }
  return (
    <Form action="Save" onSubmit={submit} onCancel={onClose}>
      <NameField value={name} onValue={setName} />
      <ChannelFields schema={schema} kept={contact.settings} values={values} onValues={setValues} />
      <KindsField kinds={kinds} onKinds={setKinds} />
    </Form>
  )
}
