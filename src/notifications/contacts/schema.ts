import Type from 'typebox'
import { nullable, oneOf, resource, Timestamp } from '../../contract/schema.ts'
import { channelNames } from './channels/index.ts'
import { alertKinds } from './types.ts'

export const Contact = resource('Contact', {
  id: Type.String({ minLength: 1 }),
  orgId: Type.String({ minLength: 1 }),
  name: Type.String({ minLength: 1, maxLength: 120 }),
  channel: oneOf(channelNames),
  settings: Type.Record(Type.String(), Type.Unknown(), { description: 'Of a secret, a hint' }),
  kinds: Type.Array(oneOf(alertKinds), { description: 'The alerts that it wants' }),
  coversAll: Type.Boolean({ description: 'All monitors but its exceptions; otherwise its exceptions alone' }),
  enabled: Type.Boolean(),
  confirmed: Type.Boolean({
    description: 'False: its e-mail address is waiting for confirmation, and receives nothing',
  }),
  confirmationSentAt: nullable(Timestamp, { description: 'When the last confirmation e-mail was sent' }),
  lastSentAt: nullable(Timestamp),
  lastError: nullable(Type.String(), { description: 'Why the last message did not arrive, in a sentence' }),
  failingSince: nullable(Timestamp),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

export const ContactParams = Type.Object({ contactId: Type.String() })
