import { useQuery } from '@tanstack/preact-query'
import type { PublicSchemas } from '../../api/client.ts'
import { type CurrentOrganization, useOrganization } from '../../api/organization.tsx'
import { t } from '../../lib/i18n.ts'
import { channelLabel } from '../../lib/labels.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { DraftForm } from '../../ui/draft-dialog.tsx'
import { NameField, SelectField } from '../../ui/form.tsx'
import { DriftWarning } from '../../ui/managed.tsx'
import { MonitorPicker } from '../../ui/monitor-picker.tsx'
import { InfoNotice } from '../../ui/notice.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useFormDraft } from '../../ui/use-form-draft.ts'
import {
  ChannelFields,
  changesOf,
  knownValues,
  openValues,
  type Schema,
  settingsOf,
  type Values,
} from './channel-fields.tsx'
import { CoverageField, type Covered, coverageBody } from './coverage-field.tsx'
import { type AlertKind, alertKinds, KindsField } from './kinds-field.tsx'
import { defaultMessages, MessageFields, type MessageOptions, messagesBody, messagesOf } from './message-fields.tsx'

type Channel = PublicSchemas['ContactChannel']
type Contact = PublicSchemas['Contact']

/** The form asks for secrets again when a destination changes. */
function withDestinations({ destinations, ...channel }: Channel): Channel {
  return { ...channel, destinations, settings: { ...channel.settings, destinations } }
}

/** Available channels; they change only with the server version. */
export function useChannels() {
  const { api, key } = useOrganization()
  return useQuery({
    queryKey: key('channels'),
    queryFn: async () => ({ data: (await api.GET('/api/v1/contact-channels')).data.map(withDestinations) }),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

interface Draft {
  readonly name: string
  readonly values: Values
  readonly kinds: readonly AlertKind[]
  readonly covered: Covered
  readonly messages: MessageOptions
}

interface NewDraft extends Draft {
  readonly chosen: Channel['name']
  /** The monitors to attach to, if it covers selected ones. */
  readonly monitors: readonly string[]
}

const emptyDraft: NewDraft = {
  name: '',
  chosen: 'EMAIL',
  values: {},
  kinds: alertKinds.map(({ kind }) => kind),
  covered: { covers: 'ALL', selector: '' },
  messages: defaultMessages,
  monitors: [],
}

export function NewContact({ onClose }: { onClose: () => void }) {
  const channels = useChannels()
  return (
    <Dialog title={t('New alert contact')} onClose={onClose}>
      <QueryResult query={channels}>{({ data }) => <NewContactForm channels={data} onClose={onClose} />}</QueryResult>
    </Dialog>
  )
}

/** E-mail is the only channel that needs settings of the server. */
export function notConfiguredText(): string {
  return t('E-mail isn’t set up on this installation. Set PHAROS_SMTP_URL and PHAROS_MAIL_FROM, then restart.')
}

/** Settings that are secret for any channel are left out. */
function withoutSecrets(channels: readonly Channel[], values: Values): Values {
  return channels.reduce((open, { settings }) => openValues(settings, open), values)
}

function NewContactForm({ channels, onClose }: { channels: readonly Channel[]; onClose: () => void }) {
  const organization = useOrganization()
  const form = useFormDraft<NewDraft>('contact.new', emptyDraft, ({ values, ...open }) => ({
    ...open,
    ...(values && { values: withoutSecrets(channels, values) }),
  }))
  const { name, values, kinds, covered, messages, monitors } = form.draft
  // A restored draft may have a channel that is no longer set up.
  const usable = channels.filter(({ configured }) => configured)
  const channel = (usable.find((one) => one.name === form.draft.chosen) ?? usable[0]) as Channel
  const { name: chosen } = channel
  const submit = async () => {
    const settings = settingsOf(channel.settings, values)
    const coverage = { ...coverageBody(covered), ...messagesBody(messages) }
    // The fields of the form are those of the channel's schema.
    const body = { name, channel: chosen, settings, kinds: [...kinds], ...coverage } as PublicSchemas['CreateContact']
    const made = await create(organization, body, covered.covers === 'CHOSEN' ? monitors : [])
    form.saved()
    showToast(t('{name} added. {made}', { name, made: nextStepFor(made) }))
    onClose()
  }
  return (
    <DraftForm form={form} action={t('Add contact')} onSubmit={submit} onClose={onClose}>
      <ContactName {...form.field('name')} />
      <SelectField
        label={t('Channel')}
        path="channel"
        value={chosen}
        hint={usable.length < channels.length ? notConfiguredText() : undefined}
        onValue={(next) => form.change({ chosen: next })}
        choices={channels.map(({ name: value, configured }) => ({
          value,
          label: channelLabel(value) + (configured ? '' : t(', not set up')),
          disabled: !configured,
        }))}
      />
      {chosen === 'EMAIL' && (
        <InfoNotice>
          {t(
            'Addresses of non-members must be confirmed before they receive alerts. We’ll send a confirmation e-mail.',
          )}
        </InfoNotice>
      )}
      <ChannelFields key={chosen} schema={channel.settings} {...form.field('values')} />
      <KindsField {...form.field('kinds')} />
      <CoverageField
        {...form.field('covered')}
        chosen={<MonitorPicker label={t('Monitors')} {...form.field('monitors')} />}
      />
      <MessageFields {...form.field('messages')} />
    </DraftForm>
  )
}

function ContactName({ value, onValue }: { value: string; onValue: (name: string) => void }) {
  return <NameField autoFocus hint={t('For example “On call” or “Team chat”')} value={value} onValue={onValue} />
}

async function create(
  { api, refresh }: CurrentOrganization,
  body: PublicSchemas['CreateContact'],
  monitors: readonly string[],
): Promise<Contact> {
  const contact = await api.POST('/api/v1/contacts', { body })
  const { id: contactId } = contact
  await refresh('contact')
  for (const monitorId of monitors) {
    const path = { monitorId, contactId }
    await api.PUT('/api/v1/monitors/{monitorId}/contacts/{contactId}', { path })
  }
  return contact
}

/** A sentence of its own. */
function nextStepFor({ confirmed, confirmationSentAt }: Contact): string {
  if (confirmed) return t('Send a test to check it.')
  return confirmationSentAt === null ? t('The address is not confirmed yet.') : t('Confirmation e-mail sent.')
}

interface EditContactProps {
  readonly contact: Contact
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
          return <EditContactForm contact={contact} schema={schema} onClose={onClose} />
        }}
      </QueryResult>
    </Dialog>
  )
}

function EditContactForm({ contact, schema, onClose }: EditContactProps & { schema: Schema }) {
  const { api, refresh } = useOrganization()
  const initial: Draft = {
    name: contact.name,
    values: knownValues(schema, contact.settings),
    kinds: contact.kinds,
    covered: { covers: contact.covers, selector: contact.selector ?? '' },
    messages: messagesOf(contact),
  }
  const form = useFormDraft(`contact.${contact.id}`, initial, ({ values: entered, ...open }) => ({
    ...open,
    ...(entered && { values: openValues(schema, entered) }),
  }))
  const { name, values, kinds, covered, messages } = form.draft
  const submit = async () => {
    const settings = changesOf(schema, contact.settings, values)
    const body = {
      name,
      kinds: [...kinds],
      ...coverageBody(covered),
      ...messagesBody(messages),
      ...(Object.keys(settings).length > 0 && { settings: settings as PublicSchemas['UpdateContact']['settings'] }),
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
      <MessageFields {...form.field('messages')} />
    </DraftForm>
  )
}
