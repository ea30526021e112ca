import { setImmediate } from 'node:timers/promises'
import Type from 'typebox'
import { invalid } from '../contract/errors.ts'
import { type OperationContext, type Read, streamedOperation } from '../contract/operation.ts'
import { defaulted, resource } from '../contract/schema.ts'
import { escapeVariables } from '../lib/variables.ts'
import { asciiWords } from '../publishing/status-pages/slug.ts'
import { DEFAULT_SOURCE, KEY_PATTERN } from './document.ts'
import { type Item, type Items, itemsOf, namesOf, storedOf } from './items.ts'
import { kinds } from './kinds/definitions.ts'
import type { Fields } from './kinds/fields.ts'
import { type KindName, kindNames } from './kinds/kind.ts'

const PORTION = 200
const MAX_KEY_CHARS = 63

const Document = resource('ConfigurationDocument', {
  version: Type.Integer({ description: 'The version of the format: 1' }),
  source: Type.String({ description: 'The source that the document describes' }),
  ...Object.fromEntries(
    kindNames.map((kind) => [
      kind,
      Type.Optional(
        Type.Unsafe<Readonly<Record<string, object>>>({
          type: 'object',
          additionalProperties: { type: 'object' },
          description: `By key. A ${kinds[kind].noun} has the fields of \`/schema/configuration.json\`.`,
        }),
      ),
    ]),
  ),
})

export const getConfiguration = streamedOperation({
  id: 'getConfiguration',
  method: 'GET',
  path: '/configuration',
  access: 'read',
  extension: true,
  tag: 'Configuration',
  summary: 'Export a configuration document',
  description:
    'The resources of a source as a document. Without `source`: those of the source `default`, and those that no document manages; ' +
    'they get keys made of their names. Secrets are written as `$' +
    '{NAME}`, which the command line replaces by the value of that ' +
    'environment variable, and `${` as `$${`. Fields with default values are left out.',
  query: Type.Object({
    source: Type.Optional(Type.String({ pattern: KEY_PATTERN, description: 'Only resources of this source' })),
    ids: defaulted(
      Type.Boolean({
        description:
          'Write the ids of resources that no document manages: applying the document here then adopts them instead of ' +
          'creating others',
      }),
      false,
    ),
    all: defaulted(
      Type.Boolean({
        description:
          'The resources of all sources as one document of the source `default`, for another installation. Applied here, it would ' +
          'create those of other sources again. Not with `source`',
      }),
      false,
    ),
  }),
  answer: { status: 200, schema: Document, description: 'The document', alsoYaml: true },
  async parts(context, { query }, read) {
    const { source = DEFAULT_SOURCE, ids, all } = query
    if (all && query.source !== undefined) throw invalid([{ path: 'all', message: 'must not be given with source' }])
    const items = await read(itemsOf(context.caller.orgId))
    const scope = { source, includesUnmanaged: query.source === undefined, includesAll: all, writesIds: ids }
    const entriesOf = createExporter(context, items, scope)
    const sections: string[] = []
    for (const kind of kindNames) {
      const entries = await entriesOf(kind, read)
      if (entries.length > 0) sections.push(`"${kind}":{${entries.join(',')}}`)
    }
    const head = `{"version":1,"source":"${source}"`
    return [head, ...sections.flatMap((section) => [',', section]), '}']
  },
})

interface Scope {
  readonly source: string
  readonly includesUnmanaged: boolean
  /** Resources of other sources are written as if nothing managed them. They keep their keys where those are free. */
  readonly includesAll: boolean
  readonly writesIds: boolean
}

/** Returns a function for the members of a JSON object with the resources of a kind, in order of key. */
function createExporter(
  context: OperationContext,
  items: Readonly<Record<KindName, Items>>,
  { source, includesUnmanaged, includesAll, writesIds }: Scope,
): (kind: KindName, read: Read) => Promise<string[]> {
  /** The keys of resources that no document manages, by id. */
  const keys = new Map<string, string>()
  const variables = new Set<string>()

  async function entriesOf(kind: KindName, read: Read): Promise<string[]> {
    const named = (await read(namesOf(context.caller.orgId, kind))).filter(({ id }) => {
      const item = items[kind].withId(id)
      return includesAll || (item === undefined ? includesUnmanaged : item.source === source)
    })
    assignKeys(kind, named)
    const sorted = named.map(({ id }) => ({ id, key: keyOf(kind, id) })).sort((a, b) => (a.key < b.key ? -1 : 1))
    const entries: string[] = []
    for (let at = 0; at < sorted.length; at += PORTION) {
      const portion = sorted.slice(at, at + PORTION)
      const ids = portion.map(({ id }) => id)
      const stored = await read(storedOf(context, kind, ids))
      for (const { id, key } of portion) {
        const one = stored.get(id)
        if (one === undefined) continue
        entries.push(`${JSON.stringify(key)}:${JSON.stringify(entry(kind, id, key, one.fields))}`)
      }
      await setImmediate()
    }
    return entries
  }

  function entry(kind: KindName, id: string, key: string, fields: Fields): Fields {
    const { mapReferences, mapSecrets, write } = kinds[kind]
    const isUnmanaged = items[kind].withId(id) === undefined
    const written = mapReferences(escapeVariables(fields) as Fields, reference)
    const shown = mapSecrets(written, (_secret, path) => variable(kind, key, path))
    return { ...(writesIds && isUnmanaged && { id }), ...write(shown) }
  }

  function assignKeys(kind: KindName, named: readonly { readonly id: string; readonly name: string | null }[]): void {
    const taken = new Set(named.flatMap(({ id }) => ownItem(kind, id)?.key ?? []))
    for (const { id, name } of named) {
      if (ownItem(kind, id) !== undefined) continue
      const base = items[kind].withId(id)?.key ?? (asciiWords(name ?? '') || asciiWords(kinds[kind].noun))
      let key = base
      for (let n = 2; taken.has(key); n += 1) key = `${base.slice(0, MAX_KEY_CHARS - `-${n}`.length)}-${n}`
      taken.add(key)
      keys.set(id, key)
    }
  }

  /** Undefined if the key is free to choose. */
  function ownItem(kind: KindName, id: string): Item | undefined {
    const item = items[kind].withId(id)
    return includesAll && item?.source !== source ? undefined : item
  }

  function keyOf(kind: KindName, id: string): string {
    return ownItem(kind, id)?.key ?? (keys.get(id) as string)
  }

  function reference(kind: KindName, id: string): string {
    return keys.get(id) ?? items[kind].reference(source, id) ?? id
  }

  /** `${MONITORS_SHOP_REQUEST_HEADERS_AUTHORIZATION}` */
  function variable(kind: KindName, key: string, path: string): string {
    const words = `${kind}.${key}.${path}`.replace(/([a-z])([A-Z])/g, '$1_$2').replace(/[^A-Za-z0-9]+/g, '_')
    const base = words.toUpperCase()
    let name = base
    for (let n = 2; variables.has(name); n += 1) name = `${base}_${n}`
    variables.add(name)
    return `\${${name}}`
  }

  return entriesOf
}
