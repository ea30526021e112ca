import Type from 'typebox'
import { appOperation } from '../../contract/app-operation.ts'
import { invalid, notFound } from '../../contract/errors.ts'
import { body, Deleted, defaulted, nullable, oneOf, resource } from '../../contract/schema.ts'
import { channelNames, channels } from './channels/index.ts'
import { insertContact } from './create.ts'
import { disableContact as disable, enableContact as enable } from './enable.ts'
import { contactsOf } from './queries.ts'
import { deleteContactRow } from './remove.ts'
import { renderContact } from './render.ts'
import { askUnconfirmed } from './request-confirmation.ts'
import { Contact, ContactParams } from './schema.ts'
import { checkSettings } from './settings.ts'
import { alertKinds } from './types.ts'
import { changeContact as change } from './update.ts'

const common = { access: 'write', tag: 'Contacts' } as const
const ofContact = { ...common, params: ContactParams, errors: ['not_found'] } as const

export const listContacts = appOperation('listContacts', {
  ...common,
  access: 'read',
  method: 'GET',
  path: '/contacts',
  summary: 'List alert contacts',
  answer: {
    status: 200,
    schema: resource('ContactList', { data: Type.Array(Contact) }),
    description: 'In order of creation. Secrets are masked.',
  },
  *handle({ caller }) {
    return { data: (yield* contactsOf(caller.orgId)).map(renderContact) }
  },
})

const channelDescriptions = channelNames.map((name) => {
  const { label, settingsSchema } = channels[name]
  return { name, label, settings: JSON.parse(JSON.stringify(settingsSchema)) as Record<string, unknown> }
})

export const listContactChannels = appOperation('listContactChannels', {
  ...common,
  access: 'read',
  method: 'GET',
  path: '/contacts/channels',
  summary: 'List the alert channels',
  answer: {
    status: 200,
    schema: resource('ContactChannelList', {
      data: Type.Array(
        resource('ContactChannel', {
          name: oneOf(channelNames),
          label: Type.String(),
          settings: Type.Record(Type.String(), Type.Unknown(), {
            description:
              'The JSON Schema of its settings. `secret` marks values that are not shown again, `destination` addresses ' +
              'that receive secrets.',
          }),
        }),
      ),
    }),
    description: 'The settings of each channel',
  },
  *handle() {
    yield* []
    return { data: channelDescriptions }
  },
})

const name = Type.String({ minLength: 1, maxLength: 120 })
const kinds = Type.Array(oneOf(alertKinds), { minItems: 1 })
const coversAll = Type.Boolean({ description: 'All monitors, including those created later' })

export const createContact = appOperation('createContact', {
  ...common,
  method: 'POST',
  path: '/contacts',
  summary: 'Add an alert contact',
  description: 'An e-mail address that does not belong to a member receives alerts only after it is confirmed.',
  body: body('CreateContact', {
    name,
    channel: oneOf(channelNames),
    settings: Type.Record(Type.String(), Type.Unknown(), { description: 'The settings of the channel' }),
    kinds: Type.Optional({ ...kinds, description: 'Default: all' }),
    coversAll: defaulted(coversAll, true),
  }),
  refine: ({ channel, settings }, { webhooks }) => {
    const name = channelNames.find((known) => known === channel)
    if (name === undefined || settings === undefined) return []
    const verdict = checkSettings(name, settings, webhooks.policy)
    return 'faults' in verdict ? verdict.faults.map(({ path, message }) => ({ path: `settings.${path}`, message })) : []
  },
  answer: { status: 201, schema: Contact, description: 'The new contact' },
  errors: ['conflict'],
  *handle(context, { body: wanted }) {
    const { caller, installation, now } = context
    const { sealer, webhooks } = installation
    const { name, channel, coversAll, kinds } = wanted
    // Validated again because `refine` does not return the settings with the channel's defaults.
    const verdict = checkSettings(channel, wanted.settings, webhooks.policy)
    if ('faults' in verdict) throw invalid(verdict.faults)
    const contact = { orgId: caller.orgId, name, channel, settings: verdict.value, coversAll, ...(kinds && { kinds }) }
    return yield* askUnconfirmed(context, yield* insertContact(contact, sealer, now))
  },
})

export const updateContact = appOperation('updateContact', {
  ...ofContact,
  method: 'PATCH',
  path: '/contacts/:contactId',
  summary: 'Change an alert contact',
  description:
    'Omitted settings keep their values. The channel cannot be changed: add another contact. A new ' +
    "destination (`destination` in the channel's schema) requires the secrets again, or null to remove them.",
  body: body('UpdateContact', {
    name: Type.Optional(name),
    settings: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'Settings to change; null removes one' }),
    ),
    kinds: Type.Optional(nullable(kinds, { description: 'Null: all' })),
    coversAll: Type.Optional({
      ...coversAll,
      description:
        'True: all monitors. False: only attached monitors. A change resets the list of attached and detached ' +
        'monitors.',
    }),
  }),
  answer: { status: 200, schema: Contact, description: 'The updated contact' },
  *handle(context, { params: { contactId: id }, body: wanted }) {
    const { caller, installation, now } = context
    const rules = { sealer: installation.sealer, policy: installation.webhooks.policy }
    return yield* askUnconfirmed(context, yield* change(caller.orgId, id, wanted, rules, now))
  },
})

export const deleteContact = appOperation('deleteContact', {
  ...ofContact,
  method: 'DELETE',
  path: '/contacts/:contactId',
  summary: 'Remove an alert contact',
  description: 'Deletes the contact with its alert history.',
  answer: { status: 200, schema: Deleted, description: 'The member was removed' },
  *handle({ caller: { orgId }, now }, { params: { contactId: id } }) {
    if (!(yield* deleteContactRow(orgId, id, now))) throw notFound('contact')
    return { data: { id } }
  },
})

export const enableContact = switchOperation('enable')
export const disableContact = switchOperation('disable')

function switchOperation(word: 'enable' | 'disable') {
  return appOperation(`${word}Contact`, {
    ...ofContact,
    method: 'POST',
    path: `/contacts/:contactId/${word}`,
    summary: word === 'enable' ? 'Enable an alert contact' : 'Disable an alert contact',
    answer: { status: 200, schema: Contact, description: 'The updated contact' },
    *handle({ caller: { orgId }, now }, { params: { contactId: id } }) {
      const row = yield* (word === 'enable' ? enable : disable)(orgId, id, now)
      if (row === undefined) throw notFound('contact')
      return renderContact(row)
    },
  })
}
