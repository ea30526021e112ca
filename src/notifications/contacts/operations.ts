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
    description: 'In order of creation; of secrets a hint',
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
  summary: 'List the channels that contacts can be told by',
  answer: {
    status: 200,
    schema: resource('ContactChannelList', {
      data: Type.Array(
        resource('ContactChannel', {
          name: oneOf(channelNames),
          label: Type.String(),
          settings: Type.Record(Type.String(), Type.Unknown(), {
            description:
              'The JSON Schema of its settings; `secret` marks what is never shown again, `destination` where secrets are sent',
          }),
        }),
      ),
    }),
    description: 'What a form has to ask for',
  },
  *handle() {
    yield* []
    return { data: channelDescriptions }
  },
})

const name = Type.String({ minLength: 1, maxLength: 120 })
const kinds = Type.Array(oneOf(alertKinds), { minItems: 1 })
const coversAll = Type.Boolean({ description: 'All monitors, those to come included' })

export const createContact = appOperation('createContact', {
  ...common,
  method: 'POST',
  path: '/contacts',
  summary: 'Add an alert contact',
  description:
    'An e-mail address that does not belong to a member is asked for a confirmation, and receives nothing until then.',
  body: body('CreateContact', {
    name,
    channel: oneOf(channelNames),
    settings: Type.Record(Type.String(), Type.Unknown(), { description: 'Those of the channel' }),
    kinds: Type.Optional({ ...kinds, description: 'All, if left out' }),
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
    'What is left out stays. The channel stays, too: for another one, add another contact. A change of the address ' +
    '(`destination` in the schema of the channel) has to contain the stored secrets, or null to remove them.',
  body: body('UpdateContact', {
    name: Type.Optional(name),
    settings: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'Those that change; null takes one away' }),
    ),
    kinds: Type.Optional(nullable(kinds, { description: 'Null: all' })),
    coversAll: Type.Optional({
      ...coversAll,
      description: 'All monitors, or none but those that are attached; a change forgets which were excepted',
    }),
  }),
  answer: { status: 200, schema: Contact, description: 'The contact as it is now' },
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
  description: 'With the record of what it was told.',
  answer: { status: 200, schema: Deleted, description: 'Removed' },
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
    summary: word === 'enable' ? 'Tell an alert contact again' : 'Tell an alert contact nothing any more',
    answer: { status: 200, schema: Contact, description: 'The contact as it is now' },
    *handle({ caller: { orgId }, now }, { params: { contactId: id } }) {
      const row = yield* (word === 'enable' ? enable : disable)(orgId, id, now)
      if (row === undefined) throw notFound('contact')
      return renderContact(row)
    },
  })
}
