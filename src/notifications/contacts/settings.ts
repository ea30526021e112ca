import type { Fault } from '../../contract/errors.ts'
import { type ValidationResult, type Validator, validator } from '../../contract/validate.ts'
import type { AddressPolicy } from '../../outbound/address-policy.ts'
import { webhookUrlProblem } from '../../outbound/urls.ts'
import type { SettingMarks } from './channels/channel.ts'
import { type ChannelName, channels } from './channels/index.ts'

export type Settings = Readonly<Record<string, unknown>>

/** Judges the settings of a contact; gives them with the defaults in, or everything that is wrong with them. */
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
    return [{ path, message: must ?? 'has the wrong form' }]
  })
}

/** Names are judged again by their addresses, each time something is sent. */
function addressFaults(channel: ChannelName, settings: Settings, policy: AddressPolicy): Fault[] {
  return marked(channel).flatMap(([path, { address }]) => {
    const value = settings[path]
    if (address !== true || typeof value !== 'string') return []
    const message = webhookUrlProblem(value, policy)
    return message === null ? [] : [{ path, message }]
  })
}

/** The settings as they may be shown: of a secret, enough to tell it from another. */
export function redactSettings(channel: ChannelName, settings: Settings): Settings {
  const secrets = new Map(marked(channel).filter(([, { secret }]) => secret === true))
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => {
      const marks = secrets.get(name)
      return [name, marks === undefined ? value : hintOf(String(value), marks.address === true)]
    }),
  )
}

/** Four characters give away nothing of a secret that has at least four times as many. */
function hintOf(secret: string, isAddress: boolean): string {
  const end = secret.length >= 16 ? secret.slice(-4) : ''
  return isAddress ? `${new URL(secret).origin}/…${end}` : `…${end}`
}

function marked(channel: ChannelName): [name: string, marks: SettingMarks][] {
  return Object.entries(channels[channel].settingsSchema.properties) as unknown as [string, SettingMarks][]
}
