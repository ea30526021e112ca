import { patterns } from '../../contract/patterns.ts'
import type { SettingMarks } from './channels/channel.ts'
import { type ChannelName, channelNames, channels } from './channels/index.ts'
import { marked, SECRET_SET } from './settings.ts'

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

const titleOf = (channel: ChannelName): string => `${channel.charAt(0)}${channel.slice(1).toLowerCase()}Settings`

/** For the document: the settings that each channel has. Not `allOf`, which generators of types make a type of. */
export const settingsByChannel = channelNames.reduceRight<object>(
  (others, channel) => ({
    if: { properties: { channel: { const: channel } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { settings: { title: titleOf(channel), ...settingsSchemaOf(channel) } } },
    else: others,
  }),
  {},
)
