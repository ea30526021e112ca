import Type from 'typebox'
import { operation } from '../contract/operation.ts'
import { resource } from '../contract/schema.ts'
import { itemsOf, namesOf } from './items.ts'
import { type KindName, kindNames } from './kinds/kind.ts'

const counts = Object.fromEntries(
  kindNames.map((kind) => [kind, Type.Integer({ description: `How many ${kind}` })]),
) as Record<KindName, ReturnType<typeof Type.Integer>>

const ConfigurationSource = resource('ConfigurationSource', {
  source: Type.String({ description: 'The source of the document' }),
  ...counts,
})

const ConfigurationSources = resource('ConfigurationSources', {
  sources: Type.Array(ConfigurationSource, { description: 'By name. Those without resources are left out' }),
  unmanaged: resource('UnmanagedResources', counts),
})

export const listSources = operation({
  id: 'listConfigurationSources',
  method: 'GET',
  path: '/configuration/sources',
  access: 'read',
  extension: true,
  tag: 'Configuration',
  summary: 'List the sources of configuration documents',
  description: 'The sources that manage resources, with how many, and how many resources no document manages.',
  answer: { status: 200, schema: ConfigurationSources, description: 'The sources' },
  *handle({ caller: { orgId } }) {
    const items = yield* itemsOf(orgId)
    const none = (): Record<KindName, number> => {
      return { monitors: 0, statusPages: 0, contacts: 0, maintenanceWindows: 0, webhookEndpoints: 0 }
    }
    const unmanaged = none()
    const bySource = new Map<string, Record<KindName, number>>()
    for (const kind of kindNames) {
      for (const { source } of items[kind].all) bySource.getOrInsertComputed(source, none)[kind] += 1
      unmanaged[kind] = (yield* namesOf(orgId, kind)).length - items[kind].all.length
    }
    const sources = [...bySource].map(([source, counted]) => ({ source, ...counted }))
    return { sources: sources.sort((a, b) => (a.source < b.source ? -1 : 1)), unmanaged }
  },
})
