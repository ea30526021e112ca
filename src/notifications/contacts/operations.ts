import Type from 'typebox'
import { type Fault, invalid, notFound } from '../../contract/errors.ts'
import { operation } from '../../contract/operation.ts'
import {
  body,
  Deleted,
  defaulted,
  documented,
  forbidding,
  nullable,
  oneOf,
  page,
  pageQuery,
  resource,
  singleLine,
} from '../../contract/schema.ts'
import { SelectorText } from '../../contract/selector.ts'
import type { AddressPolicy } from '../../outbound/address-policy.ts'
import { coverages } from '../../storage/schema/contacts.ts'
import { channelNames, channels } from './channels/index.ts'
import { ALL_MONITORS, coverageAfter } from './coverage.ts'
import { insertContact, MAX_CONTACTS } from './create.ts'
import { isConfigured } from './delivers.ts'
import { disableContact as disable, enableContact as enable } from './enable.ts'
import { kindNamed, kindNames } from './kinds.ts'
import { contactOf, contactsOf } from './queries.ts'
import { deleteContactRow } from './remove.ts'
import { renderContact } from './render.ts'
import { askUnconfirmed } from './request-confirmation.ts'
import { Contact, ContactParams } from './schema.ts'
import { checkSettings } from './settings.ts'
import { destinationsOf, settingsByChannel, settingsSchemaOf } from './settings-schema.ts'
import { changeContact as change } from './update.ts'

const common = { access: 'write', tag: 'Contacts', extension: true } as const
const ofContact = { ...common, path: '/contacts/:contactId', params: ContactParams, errors: ['not_found'] } as const

export const listContacts = operation({
  ...common,
  id: 'listContacts',
  access: 'read',
  method: 'GET',
  path: '/contacts',
  summary: 'List contacts',
  description: 'In order of creation.',
  query: Type.Object(pageQuery),
  skipsSnapshot: true,
  answer: { status: 200, schema: page('ContactPage', Contact), description: 'A page of contacts' },
  *handle({ caller, installation }, { query: { limit, offset } }) {
    // The number of contacts is limited, so all are read.
    const rows = yield* contactsOf(caller.orgId)
    const data = rows.slice(offset, offset + limit).map((row) => renderContact(row, installation.transports))
    return { data, pagination: { limit, offset, total: rows.length } }
  },
})

export const getContact = operation({
  ...ofContact,
  id: 'getContact',
  access: 'read',
  method: 'GET',
  summary: 'Get a contact',
  description: 'With the result of its last message. Secrets are shown as `set`.',
  answer: { status: 200, schema: Contact, description: 'The contact' },
  *handle({ caller, installation }, { params }) {
    return renderContact(yield* contactOf(caller.orgId, params.contactId), installation.transports)
  },
})

const channelDescriptions = channelNames.map((name) => {
  const settings: Record<string, unknown> = JSON.parse(JSON.stringify(settingsSchemaOf(name)))
  return { name, label: channels[name].label, settings, destinations: destinationsOf(name) }
})

export const listContactChannels = operation({
  ...common,
  id: 'listContactChannels',
  access: 'read',
  method: 'GET',
  path: '/contact-channels',
  summary: 'List the channels of contacts',
  description: 'The services and protocols that alerts are sent with, and the settings that a contact needs for each.',
  answer: {
    status: 200,
    schema: resource('ContactChannelList', {
      data: Type.Array(
        resource('ContactChannel', {
          name: oneOf(channelNames),
          label: Type.String({ description: 'The name of the service' }),
          configured: Type.Boolean({
            description: 'False: the operator has not set it up, and contacts with it receive nothing',
          }),
          settings: Type.Record(Type.String(), Type.Unknown(), {
            description:
              'The JSON Schema of its settings. Those that are `writeOnly` are secrets, which are shown as `set`.',
          }),
          destinations: Type.Array(Type.String(), {
            description: 'Settings that decide who receives the secrets. A change requires the secrets again.',
          }),
        }),
      ),
    }),
    description: 'The channels',
  },
  *handle({ installation: { transports } }) {
    yield* []
    return { data: channelDescriptions.map((one) => ({ ...one, configured: isConfigured(one.name, transports) })) }
  },
})

const name = singleLine({ minLength: 1, maxLength: 120 })
const kinds = Type.Array(oneOf(kindNames), { minItems: 1 })
const coverage =
  'ALL: all monitors, also those created later. CHOSEN: the monitors that it is attached to. LABELS: the monitors that ' +
  'match `selector`, also those that get the labels later.'
const covers = oneOf(coverages, { description: coverage })
const selector = Type.Optional(nullable(SelectorText))
const hasSelector = { required: ['selector'], properties: { selector: { type: 'string' } } }
const coversLabels = { required: ['covers'], properties: { covers: { const: 'LABELS' } } }

/** The body may have faults of its own. */
function settingsFaults({ channel, settings }: Readonly<Record<string, unknown>>, policy: AddressPolicy): Fault[] {
  const name = channelNames.find((known) => known === channel)
  if (name === undefined || settings === undefined) return []
  const verdict = checkSettings(name, settings, policy)
  return 'faults' in verdict ? verdict.faults.map(({ path, message }) => ({ path: `settings.${path}`, message })) : []
}

function coverageFaults({ covers = 'ALL', selector = null }: Readonly<Record<string, unknown>>): readonly Fault[] {
  const known = coverages.find((one) => one === covers)
  if (known === undefined || (selector !== null && typeof selector !== 'string')) return []
  const verdict = coverageAfter(ALL_MONITORS, { covers: known, selector })
  return 'faults' in verdict ? verdict.faults : []
}

export const createContact = operation({
  ...common,
  id: 'createContact',
  method: 'POST',
  path: '/contacts',
  summary: 'Create a contact',
  description:
    'An e-mail address that does not belong to a member receives alerts only after it is confirmed: it is sent a link. An ' +
    `organization has at most ${MAX_CONTACTS} contacts.`,
  body: documented(
    body('CreateContact', {
      name,
      channel: oneOf(channelNames),
      settings: Type.Record(Type.String(), Type.Unknown(), {
        description: 'The settings of the channel; see `/contact-channels`',
      }),
      kinds: Type.Optional({ ...kinds, description: 'Default: all' }),
      covers: defaulted(covers, 'ALL'),
      selector,
    }),
    {
      ...settingsByChannel,
      not: {
        anyOf: [
          { ...coversLabels, not: hasSelector },
          { ...hasSelector, not: coversLabels },
        ],
      },
    },
  ),
  refine: (given, { webhooks }) => [...settingsFaults(given, webhooks.policy), ...coverageFaults(given)],
  notifies: true,
  answer: { status: 201, schema: Contact, description: 'The new contact' },
  errors: ['conflict'],
  *handle(context, { body: wanted }) {
    const { caller, installation, now } = context
    const { sealer, webhooks } = installation
    const { name, channel, kinds } = wanted
    // Validated again because `refine` does not return the settings with the channel's defaults.
    const verdict = checkSettings(channel, wanted.settings, webhooks.policy)
    if ('faults' in verdict) throw invalid(verdict.faults)
    const covered = coverageAfter(ALL_MONITORS, wanted)
    if ('faults' in covered) throw invalid(covered.faults)
    const contact = {
      orgId: caller.orgId,
      name,
      channel,
      settings: verdict.value,
      ...covered.value,
      ...(kinds && { kinds: kinds.map(kindNamed) }),
    }
    return yield* askUnconfirmed(context, yield* insertContact(contact, sealer, now))
  },
})

export const updateContact = operation({
  ...ofContact,
  id: 'updateContact',
  method: 'PATCH',
  summary: 'Update a contact',
  description:
    'Omitted settings keep their values, and so do secrets given as `set`. The channel cannot be changed: create another ' +
    'contact. A new destination (`destinations` of the channel) requires the secrets again, or null to remove them.',
  body: forbidding(
    body('UpdateContact', {
      name: Type.Optional(name),
      settings: Type.Optional(
        Type.Record(Type.String(), Type.Unknown(), { description: 'Settings to change; null removes one' }),
      ),
      kinds: Type.Optional(nullable(kinds, { description: 'Null: all' })),
      covers: Type.Optional({
        ...covers,
        description: `${coverage} A change forgets which monitors were attached and detached.`,
      }),
      selector,
    }),
    {
      required: ['covers', 'selector'],
      properties: { ...hasSelector.properties, covers: { enum: ['ALL', 'CHOSEN'] } },
    },
  ),
  // A new address is asked to confirm.
  notifies: ['settings'],
  answer: { status: 200, schema: Contact, description: 'The updated contact' },
  *handle(context, { params: { contactId: id }, body: wanted }) {
    const { caller, installation, now } = context
    const rules = { sealer: installation.sealer, policy: installation.webhooks.policy }
    const { kinds, ...others } = wanted
    const changes = { ...others, ...(kinds !== undefined && { kinds: kinds === null ? null : kinds.map(kindNamed) }) }
    return yield* askUnconfirmed(context, yield* change(caller.orgId, id, changes, rules, now))
  },
})

export const deleteContact = operation({
  ...ofContact,
  id: 'deleteContact',
  method: 'DELETE',
  summary: 'Delete a contact',
  description: 'Deletes the contact with its alert history.',
  answer: { status: 200, schema: Deleted, description: 'The id of the deleted resource' },
  *handle({ caller: { orgId }, now }, { params: { contactId: id } }) {
    if (!(yield* deleteContactRow(orgId, id, now))) throw notFound('contact')
    return { data: { id } }
  },
})

export const enableContact = switchOperation('enable')
export const disableContact = switchOperation('disable')

function switchOperation(word: 'enable' | 'disable') {
  return operation({
    ...ofContact,
    id: `${word}Contact`,
    method: 'POST',
    path: `/contacts/:contactId/${word}`,
    summary: word === 'enable' ? 'Enable a contact' : 'Disable a contact',
    description:
      word === 'enable'
        ? 'It gets the alerts of problems that start or end from now on.'
        : 'It gets no alerts, and those that are waiting are dropped.',
    answer: { status: 200, schema: Contact, description: 'The updated contact' },
    *handle({ caller: { orgId }, installation, now }, { params: { contactId: id } }) {
      const row = yield* (word === 'enable' ? enable : disable)(orgId, id, now)
      if (row === undefined) throw notFound('contact')
      return renderContact(row, installation.transports)
    },
  })
}
