import type { TSchema } from 'typebox'
import type { Fault } from '../../contract/errors.ts'
import { faultFor } from '../../contract/errors.ts'
import { patterns } from '../../contract/patterns.ts'
import { type ValidationResult, type Validator, validator } from '../../contract/validate.ts'
import { parseStored } from '../../lib/json.ts'
import type { JsonSchema } from '../../lib/json-schema.ts'
import type { Sealer } from '../../lib/seal.ts'
import type { AddressPolicy } from '../../outbound/address-policy.ts'
import { webhookUrlProblem } from '../../outbound/urls.ts'
import { reason } from '../../reasons/reason.ts'
import type { ContactTable } from '../../storage/schema/contacts.ts'
import type { SettingMarks } from './channels/channel.ts'
import { type ChannelName, channelNames, channels } from './channels/index.ts'

/** Stands for a stored secret in answers, and in changes that keep it. */
const SECRET_SET = 'set'

export type Settings = Readonly<Record<string, unknown>>

/** Validates the settings of a contact. Returns them with defaults filled in, or all faults. */
export function checkSettings(channel: ChannelName, given: unknown, policy: AddressPolicy): ValidationResult<Settings> {
  const validate: Validator<unknown> = validator(channels[channel].settingsSchema, 'settings', (settings) => [
    ...formFaults(channel, settings),
    ...addressFaults(channel, settings, policy),
  ])
  return validate(given) as ValidationResult<Settings>
}

function formFaults(channel: ChannelName, settings: Settings): Fault[] {
  return marked(channel).flatMap(([path, { form, must, secret }]) => {
    const value = settings[path]
    if (secret === true && value === SECRET_SET)
      return [{ path, message: `must be the secret itself, not "${SECRET_SET}"` }]
    if (form === undefined || typeof value !== 'string' || new RegExp(form).test(value)) return []
    return [{ path, message: must ?? 'is not valid' }]
  })
}

/** Host names are checked again when they are resolved for sending. */
function addressFaults(channel: ChannelName, settings: Settings, policy: AddressPolicy): Fault[] {
  return marked(channel).flatMap(([path, { address, secret }]) => {
    const value = settings[path]
    if (address !== true || typeof value !== 'string' || (secret === true && value === SECRET_SET)) return []
    const message = webhookUrlProblem(value, policy)
    return message === null ? [] : [{ path, message }]
  })
}

/**
 * A fault for each stored secret that the change leaves out although it changes where secrets are sent. Otherwise a user
 * who cannot read a secret could have it sent to a server of their own.
 */
export function secretFaults(channel: ChannelName, before: Settings, change: Settings): Fault[] {
  const settings = marked(channel)
  const isMoved = settings.some(([name, marks]) => {
    if (marks.destination !== true || !Object.hasOwn(change, name)) return false
    return (change[name] ?? marks.default) !== (before[name] ?? marks.default)
  })
  if (!isMoved) return []
  return settings
    .filter(([name, { secret }]) => secret === true && before[name] !== undefined && !Object.hasOwn(change, name))
    .map(([path]) => faultFor(path, reason('secret_again')))
}

/** Replaces each secret by `set`. */
export function redactSettings(channel: ChannelName, settings: Settings): Settings {
  const secrets = secretNames(channel)
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, secrets.has(name) ? SECRET_SET : value]),
  )
}

/** The change without the secrets that it leaves as they are: a client may send back what it was shown. */
export function withoutKeptSecrets(channel: ChannelName, before: Settings, change: Settings): Settings {
  const secrets = secretNames(channel)
  const isKept = (name: string) => secrets.has(name) && change[name] === SECRET_SET && before[name] !== undefined
  return Object.fromEntries(Object.entries(change).filter(([name]) => !isKept(name)))
}

function secretNames(channel: ChannelName): ReadonlySet<string> {
  return new Set(marked(channel).flatMap(([name, { secret }]) => (secret === true ? [name] : [])))
}

type Marks = SettingMarks & { readonly default?: unknown }

export function marked(channel: ChannelName): [name: string, marks: Marks][] {
  // Undefined for a channel of a newer version, whose nodes may serve at the same time.
  return Object.entries(channels[channel]?.settingsSchema.properties ?? {}) as unknown as [string, Marks][]
}

export function sealSettings(settings: Settings, of: Pick<ContactTable, 'org_id' | 'id'>, sealer: Sealer): string {
  return sealer.seal(JSON.stringify(settings), sealContext(of.org_id, of.id))
}

/** Returns the settings with their secrets. */
export function openSettings(contact: Pick<ContactTable, 'org_id' | 'id' | 'sealed'>, sealer: Sealer): Settings {
  return parseStored(sealer.open(contact.sealed, sealContext(contact.org_id, contact.id)))
}

function sealContext(orgId: string, id: string): string {
  return `contact ${orgId} ${id}`
}

/** The settings of a channel as JSON Schema, with no other keywords: a secret is `writeOnly`. */
export function settingsSchemaOf(channel: ChannelName) {
  const { required = [] } = channels[channel].settingsSchema
  const properties = Object.fromEntries(marked(channel).map(([name, marks]) => [name, plain(marks)]))
  return { type: 'object', required, additionalProperties: false, properties }
}

function plain({ secret, address, destination: _destination, form, must: _must, ...schema }: SettingMarks): object {
  const pattern = form ?? (address === true ? patterns.webhookUrl : undefined)
  return {
    ...schema,
    ...(pattern !== undefined && { pattern }),
    ...(secret === true && { writeOnly: true, not: { const: SECRET_SET } }),
  }
}

/** Settings that decide who receives the secrets. */
export function destinationsOf(channel: ChannelName): string[] {
  return marked(channel).flatMap(([name, { destination }]) => (destination === true ? [name] : []))
}

const DESCRIPTION = 'The settings of the channel; see `/contact-channels`'

/** `Slack` */
const nameOf = (channel: ChannelName): string => `${channel.charAt(0)}${channel.slice(1).toLowerCase()}`

/** The body of a creation as a union by `channel`, for the OpenAPI document: each channel with its settings. */
export function contactVariants(fields: Readonly<Record<string, TSchema>>): object {
  const title = (channel: ChannelName): string => `Create${nameOf(channel)}Contact`
  const variant = (channel: ChannelName): object => ({
    title: title(channel),
    type: 'object',
    required: ['name', 'channel', 'settings'],
    properties: {
      ...fields,
      channel: { type: 'string', enum: [channel] },
      settings: { title: `${nameOf(channel)}Settings`, ...settingsSchemaOf(channel), description: DESCRIPTION },
    },
    additionalProperties: false,
  })
  return {
    type: undefined,
    properties: undefined,
    required: undefined,
    additionalProperties: undefined,
    oneOf: channelNames.map(variant),
    discriminator: {
      propertyName: 'channel',
      mapping: Object.fromEntries(channelNames.map((channel) => [channel, `#/components/schemas/${title(channel)}`])),
    },
  }
}

/** The settings of an update, for the OpenAPI document: those of one channel, any of them, or null to remove one. Secrets may be `set`. */
export const settingsChange = {
  patternProperties: undefined,
  anyOf: channelNames.map((channel) => ({
    title: `${nameOf(channel)}SettingsChange`,
    type: 'object',
    properties: Object.fromEntries(marked(channel).map(([name, marks]) => [name, changeable(marks)])),
    additionalProperties: false,
  })),
}

/** The form of a secret does not allow `set`. */
function changeable({ secret, ...marks }: SettingMarks): object {
  const { type, enum: values, minimum, maximum, maxLength, description } = plain(marks) as JsonSchema
  return {
    type: [type, 'null'],
    ...(values !== undefined && { enum: [...values, null] }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(maxLength !== undefined && { maxLength }),
    ...(secret === true && { writeOnly: true }),
    description,
  }
}
