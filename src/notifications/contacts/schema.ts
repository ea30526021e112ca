import Type from 'typebox'
import type { Fault } from '../../contract/errors.ts'
import { patterns } from '../../contract/patterns.ts'
import { DOCUMENTED, nullable, oneOf, resource, singleLine, Timestamp } from '../../contract/schema.ts'
import { SelectorText } from '../../contract/selector.ts'
import { parseTimeZone, TIME_ZONE_FAULT } from '../../lib/time-zone.ts'
import { coverages } from '../../storage/schema/contacts.ts'
import { channelNames } from './channels/index.ts'
import { contactProblems } from './delivers.ts'
import { kindNames } from './kinds.ts'
import { languages } from './languages/words.ts'

export const Problem = nullable(oneOf(contactProblems), {
  description:
    'Why alerts do not reach it, or null. NOT_CONFIGURED: the operator has not set up its channel. FAILING: every message since the ' +
    'last one that arrived has failed. Such a contact covers no monitor; see `/alert-coverage`.',
})

export const Contact = resource('Contact', {
  id: Type.String({ minLength: 1 }),
  orgId: Type.String({ minLength: 1 }),
  name: Type.String({ minLength: 1, maxLength: 120 }),
  channel: oneOf(channelNames),
  settings: Type.Record(Type.String(), Type.Unknown(), { description: 'Secrets are shown as `set`' }),
  kinds: Type.Array(oneOf(kindNames), { description: 'The kinds of alerts that it receives' }),
  covers: oneOf(coverages, {
    description:
      'ALL: all monitors except the detached ones. CHOSEN: only the attached ones. LABELS: those that match `selector`.',
  }),
  selector: nullable(Type.String(), { description: 'The labels of the monitors that it covers; null without LABELS' }),
  language: nullable(oneOf(languages), { description: 'The language of its messages. Null: English' }),
  timezone: nullable(Type.String(), {
    description: 'The IANA name of the zone of times in its messages. Null: that of the organization',
  }),
  enabled: Type.Boolean(),
  confirmed: Type.Boolean({
    description: 'False: its e-mail address is waiting for confirmation, and receives nothing',
  }),
  problem: Problem,
  confirmationSentAt: nullable(Timestamp, { description: 'When the last confirmation e-mail was sent' }),
  lastSentAt: nullable(Timestamp),
  lastError: nullable(Type.String(), { description: 'Why the last message failed' }),
  failingSince: nullable(Timestamp),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

export const common = { access: 'write', tag: 'Contacts', extension: true } as const
export const ofContact = {
  ...common,
  path: '/contacts/:contactId',
  params: Type.Object({ contactId: Type.String({ minLength: 1 }) }),
  errors: ['not_found'],
} as const

export const coverage =
  'ALL: all monitors, also those created later. CHOSEN: the monitors that it is attached to. LABELS: the monitors that ' +
  'match `selector`, also those that get the labels later.'

/** Fields of the bodies that create and update a contact. */
export const fields = {
  name: singleLine({ minLength: 1, maxLength: 120 }),
  kinds: Type.Array(oneOf(kindNames), { minItems: 1 }),
  covers: oneOf(coverages, { description: coverage }),
  selector: Type.Optional(nullable(SelectorText)),
  language: nullable(oneOf(languages), { description: 'The language of its messages. Null: English' }),
  timezone: nullable(Type.String({ minLength: 1, maxLength: 64 }), {
    description: 'An IANA name: the zone of times in its messages. Null: that of the organization',
    [DOCUMENTED]: { pattern: patterns.timezone, examples: ['Europe/Berlin'] },
  }),
}

/** Of a body that may have faults of its own. */
export function timeZoneFaults({ timezone }: Readonly<Record<string, unknown>>): readonly Fault[] {
  return typeof timezone === 'string' && parseTimeZone(timezone) === undefined
    ? [{ path: 'timezone', message: TIME_ZONE_FAULT }]
    : []
}

export const hasSelector = { required: ['selector'], properties: { selector: { type: 'string' } } }
