import type { PublicSchemas } from '../../api/client.ts'
import { useOrganization } from '../../api/organization.tsx'
import { t } from '../../lib/i18n.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { DraftForm } from '../../ui/draft-dialog.tsx'
import { DriftWarning } from '../../ui/managed.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useFormDraft } from '../../ui/use-form-draft.ts'
import { ChannelFields, changesOf, knownValues, openValues, type Values } from './channel-fields.tsx'
import { CoverageField, type Covered, coverageBody } from './coverage-field.tsx'
import { type AlertKind, KindsField } from './kinds-field.tsx'
import { ContactName, nextStepFor, useChannels } from './new-contact.tsx'

interface EditContactProps {
  readonly contact: PublicSchemas['Contact']
  readonly onClose: () => void
}

/** Edits a contact. The channel cannot change; selected monitors are chosen on their own pages. */
export function EditContact({ contact, onClose }: EditContactProps) {
  const channels = useChannels()
  return (
    <Dialog title={t('Edit {name}', { name: contact.name })} onClose={onClose}>
      <QueryResult query={channels}>
        {({ data }) => {
          const schema = data.find(({ name }) => name === contact.channel)?.settings ?? {}
          return <Fields contact={contact} schema={schema} onClose={onClose} />
        }}
      </QueryResult>
    </Dialog>
  )
}

interface Draft {
  readonly name: string
  readonly values: Values
  readonly kinds: readonly AlertKind[]
  readonly covered: Covered
}

interface FieldsProps extends EditContactProps {
  readonly schema: Readonly<Record<string, unknown>>
}

function Fields({ contact, schema, onClose }: FieldsProps) {
  const { api, refresh } = useOrganization()
  const initial: Draft = {
    name: contact.name,
    values: knownValues(schema, contact.settings),
    kinds: contact.kinds,
    covered: { covers: contact.covers, selector: contact.selector ?? '' },
  }
  const form = useFormDraft(`contact.${contact.id}`, initial, ({ values: entered, ...open }) => ({
    ...open,
    ...(entered && { values: openValues(schema, entered) }),
  }))
  const { name, values, kinds, covered } = form.draft
  const submit = async () => {
    const settings = changesOf(schema, contact.settings, values)
    const body = {
      name,
      kinds: [...kinds],
      ...coverageBody(covered),
      ...(Object.keys(settings).length > 0 && { settings }),
    }
    const saved = await api.PATCH('/api/v1/contacts/{contactId}', { path: { contactId: contact.id }, body })
    form.saved()
    await refresh('contact', 'monitor')
    showToast(t('{name} saved. {saved}', { name, saved: nextStepFor(saved) }))
    onClose()
  }
  return (
    <DraftForm form={form} action={t('Save')} onSubmit={submit} onClose={onClose}>
      <DriftWarning kind="contact" id={contact.id} />
      <ContactName {...form.field('name')} />
      <ChannelFields schema={schema} kept={contact.settings} {...form.field('values')} />
      <KindsField {...form.field('kinds')} />
      <CoverageField
        {...form.field('covered')}
        chosen={<p class="text-xs text-muted">{t('Choose this contact on the edit pages of the monitors.')}</p>}
      />
    </DraftForm>
  )
}
