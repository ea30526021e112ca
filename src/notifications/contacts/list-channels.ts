import Type from 'typebox'
import { operation } from '../../contract/operation.ts'
import { oneOf, resource } from '../../contract/schema.ts'
import { parseStored } from '../../lib/json.ts'
import { channelNames, channels } from './channels/index.ts'
import { isConfigured } from './delivers.ts'
import { common } from './schema.ts'
import { destinationsOf, settingsSchemaOf } from './settings.ts'

const channelDescriptions = channelNames.map((name) => {
  const settings: Record<string, unknown> = parseStored(JSON.stringify(settingsSchemaOf(name)))
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
