import type { Fault } from '../../contract/errors.ts'
import { type ValidationResult, type Validator, validator } from '../../contract/validate.ts'
import type { Sealer } from '../../lib/seal.ts'
import type { AddressPolicy } from '../../outbound/address-policy.ts'
import { webhookUrlProblem } from '../../outbound/urls.ts'
import type { ContactTable } from '../../storage/schema/contacts.ts'
import type { SettingMarks } from './channels/channel.ts'
import { type ChannelName, channels } from './channels/index.ts'

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
  return marked(channel).flatMap(([path, { form, must }]) => {
    const value = settings[path]
    if (form === undefined || typeof value !== 'string' || new RegExp(form, 'i').test(value)) return []
    return [{ path, message: must ?? 'is not valid' }]
  })
}

/** Host names are checked again when they are resolved for sending. */
function addressFaults(channel: ChannelName, settings: Settings, policy: AddressPolicy): Fault[] {
  return marked(channel).flatMap(([path, { address }]) => {
    const value = settings[path]
    if (address !== true || typeof value !== 'string') return []
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
    .map(([path]) => ({ path, message: 'must be entered again when the address changes' }))
}

/** Replaces each secret by a hint that is enough to recognize it. */
export function redactSettings(channel: ChannelName, settings: Settings): Settings {
  const secrets = new Map(marked(channel).filter(([, { secret }]) => secret === true))
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => {
      const marks = secrets.get(name)
      return [name, marks === undefined ? value : hintOf(String(value), marks.address === true)]
    }),
  )
}

/** The last four characters, only of a secret that has at least 16. */
function hintOf(secret: string, isAddress: boolean): string {
  const end = secret.length >= 16 ? secret.slice(-4) : ''
  return isAddress ? `${new URL(secret).origin}/…${end}` : `…${end}`
}

type Marks = SettingMarks & { readonly default?: unknown }

function marked(channel: ChannelName): [name: string, marks: Marks][] {
  return Object.entries(channels[channel].settingsSchema.properties) as unknown as [string, Marks][]
}

export function sealSettings(settings: Settings, of: Pick<ContactTable, 'org_id' | 'id'>, sealer: Sealer): string {
  return sealer.seal(JSON.stringify(settings), sealContext(of.org_id, of.id))
}

/** Returns the settings with their secrets. */
export function openSettings(contact: Pick<ContactTable, 'org_id' | 'id' | 'sealed'>, sealer: Sealer): Settings {
  return JSON.parse(sealer.open(contact.sealed, sealContext(contact.org_id, contact.id)))
}

function sealContext(orgId: string, id: string): string {
  return `contact ${orgId} ${id}`
}
