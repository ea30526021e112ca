import { setImmediate } from 'node:timers/promises'
import Type from 'typebox'
import { type OperationContext, type Read, streamedOperation } from '../contract/operation.ts'
import { defaulted, resource } from '../contract/schema.ts'
import { isObject } from '../contract/validate.ts'
import { asciiWords } from '../publishing/status-pages/slug.ts'
import { DEFAULT_SOURCE, KEY_PATTERN } from './document.ts'
import { type Items, itemsOf, namesOf } from './items.ts'
import { kinds } from './kinds/definitions.ts'
import type { Fields } from './kinds/fields.ts'
import { type KindName, kindNames, type MapReference } from './kinds/kind.ts'

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
  }),
  answer: { status: 200, schema: Document, description: 'The document', alsoYaml: true },
  async parts(context, { query }, read) {
    const { source = DEFAULT_SOURCE, ids } = query
    const exporter = new Exporter(
      context,
      source,
      query.source === undefined,
      ids,
      await read(itemsOf(context.caller.orgId)),
    )
    const sections: string[] = []
    for (const kind of kindNames) {
      const entries = await exporter.entries(kind, read)
      if (entries.length > 0) sections.push(`"${kind}":{${entries.join(',')}}`)
    }
    const head = `{"version":1,"source":"${source}"`
    return [head, ...sections.flatMap((section) => [',', section]), '}']
  },
})

class Exporter {
  readonly #context: OperationContext
  readonly #source: string
  readonly #includesUnmanaged: boolean
  readonly #writesIds: boolean
  readonly #items: Readonly<Record<KindName, Items>>
  /** The keys of resources that no document manages, by id. */
  readonly #keys = new Map<string, string>()
  readonly #variables = new Set<string>()

  constructor(
    context: OperationContext,
    source: string,
    includesUnmanaged: boolean,
    writesIds: boolean,
    items: Readonly<Record<KindName, Items>>,
  ) {
    this.#context = context
    this.#source = source
    this.#includesUnmanaged = includesUnmanaged
    this.#writesIds = writesIds
    this.#items = items
  }

  /** Members of a JSON object, in order of key. */
  async entries(kind: KindName, read: Read): Promise<string[]> {
    const { orgId } = this.#context.caller
    const named = (await read(namesOf(orgId, kind))).filter(({ id }) => {
      const item = this.#items[kind].withId(id)
      return item === undefined ? this.#includesUnmanaged : item.source === this.#source
    })
    this.#assignKeys(kind, named)
    const sorted = named.map(({ id }) => ({ id, key: this.#keyOf(kind, id) })).sort((a, b) => (a.key < b.key ? -1 : 1))
    const entries: string[] = []
    for (let at = 0; at < sorted.length; at += PORTION) {
      const portion = sorted.slice(at, at + PORTION)
      const ids = portion.map(({ id }) => id)
      const load = kinds[kind].load({ orgId, installation: this.#context.installation }, ids)
      const stored = new Map((await read(load)).map((one) => [one.id, one]))
      for (const { id, key } of portion) {
        const one = stored.get(id)
        if (one !== undefined)
          entries.push(`${JSON.stringify(key)}:${JSON.stringify(this.#entry(kind, id, key, one.fields))}`)
      }
      await setImmediate()
    }
    return entries
  }

  #entry(kind: KindName, id: string, key: string, fields: Fields): Fields {
    const { mapReferences, mapSecrets, write } = kinds[kind]
    const isUnmanaged = this.#items[kind].withId(id) === undefined
    const written = mapReferences(escaped(fields) as Fields, this.#reference)
    const shown = mapSecrets(written, (_secret, path) => this.#variable(kind, key, path))
    return { ...(this.#writesIds && isUnmanaged && { id }), ...write(shown) }
  }

  #assignKeys(kind: KindName, named: readonly { readonly id: string; readonly name: string | null }[]): void {
    const taken = new Set(named.flatMap(({ id }) => this.#items[kind].withId(id)?.key ?? []))
    for (const { id, name } of named) {
      if (this.#items[kind].withId(id) !== undefined) continue
      const base = asciiWords(name ?? '') || asciiWords(kinds[kind].noun)
      let key = base
      for (let n = 2; taken.has(key); n += 1) key = `${base.slice(0, MAX_KEY_CHARS - `-${n}`.length)}-${n}`
      taken.add(key)
      this.#keys.set(id, key)
    }
  }

  #keyOf(kind: KindName, id: string): string {
    return this.#items[kind].withId(id)?.key ?? (this.#keys.get(id) as string)
  }

  readonly #reference: MapReference = (kind, id) => {
    const item = this.#items[kind].withId(id)
    if (item !== undefined) return item.source === this.#source ? item.key : `${item.source}/${item.key}`
    return this.#keys.get(id) ?? id
  }

  /** `${MONITORS_SHOP_REQUEST_HEADERS_AUTHORIZATION}` */
  #variable(kind: KindName, key: string, path: string): string {
    const words = `${kind}.${key}.${path}`.replace(/([a-z])([A-Z])/g, '$1_$2').replace(/[^A-Za-z0-9]+/g, '_')
    const base = words.toUpperCase()
    let name = base
    for (let n = 2; this.#variables.has(name); n += 1) name = `${base}_${n}`
    this.#variables.add(name)
    return `\${${name}}`
  }
}

/** Texts as a document writes them: the command line would replace `${NAME}`. */
function escaped(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('${', () => '$${')
  if (Array.isArray(value)) return value.map(escaped)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, escaped(member)]))
}
