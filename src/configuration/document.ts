import { joinPath } from '../contract/errors.ts'
import type { Installation } from '../contract/operation.ts'
import { isObject } from '../lib/json.ts'
import type { JsonSchema } from '../lib/json-schema.ts'
import { nearestName } from '../lib/nearest-name.ts'
import type { DbWork } from '../storage/query.ts'
import type { Faults } from './faults.ts'
import { kinds } from './kinds/definitions.ts'
import { type Fields, faultAt } from './kinds/fields.ts'
import { type KindName, kindNames } from './kinds/kind.ts'
import { type DocumentChunk, entriesIn, type SplitDocument } from './split-document.ts'

/** The form of sources and keys. Ids of resources have an underscore, so that nothing is both. */
export const KEY_PATTERN = '^[a-z0-9][a-z0-9-]{0,62}$'
const keyForm = new RegExp(KEY_PATTERN)
const KEY_RULE = 'use 1 to 63 of a-z, 0-9 and hyphens, and no hyphen at the start'

export const DEFAULT_SOURCE = 'default'

/** Where faults of the document begin in a request. */
const ROOT = 'document'

/** A document whose outer form is valid. Its resources are read one by one. */
export interface Document {
  readonly source: string
  /** By kind, the fields that its resources have unless they have their own. */
  readonly defaults: Fields
  readonly chunks: readonly DocumentChunk[]
  readonly entries: Readonly<Record<KindName, readonly Entry[]>>
}

/** A resource as it was written, without its fields. */
export interface Entry {
  readonly key: string
  /** Where it is, for faults. */
  readonly path: string
  /** The resource that it adopts. */
  readonly id: string | undefined
  /** The key that it had before. */
  readonly was: string | undefined
}

const documentNames = ['version', 'source', 'defaults', ...kindNames]

/** Reads the outer form. Adds every fault to `faults`. Rests after each chunk. */
export function* readDocument(
  { outer, chunks }: SplitDocument,
  faults: Faults,
  rest: () => DbWork<void>,
): DbWork<Document> {
  const fault = (path: string, message: string): void => faults.add({ path: joinPath(ROOT, path), message })
  for (const name of Object.keys(outer)) {
    if (!documentNames.includes(name)) fault(name, unknownField(name, documentNames))
  }
  if (outer.version !== 1) fault('version', outer.version === undefined ? 'is required: write version: 1' : 'must be 1')
  const { source = DEFAULT_SOURCE, defaults = {} } = outer
  if (typeof source !== 'string' || !keyForm.test(source)) fault('source', `is not a source: ${KEY_RULE}`)
  if (!isObject(defaults)) fault('defaults', 'must be an object')
  const ofKind = isObject(defaults) ? defaults : {}
  for (const name of Object.keys(ofKind)) {
    if (!(kindNames as readonly string[]).includes(name)) fault(`defaults.${name}`, unknownField(name, kindNames))
    else if (!isObject(ofKind[name])) fault(`defaults.${name}`, 'must be an object')
  }
  for (const kind of kindNames) {
    // An empty section of a YAML file is null.
    if (outer[kind] !== undefined && outer[kind] !== null) fault(kind, 'must be a map from keys to resources')
  }
  const entries: Record<KindName, Entry[]> = Object.fromEntries(kindNames.map((kind) => [kind, []])) as never
  for (const chunk of chunks) {
    if (faults.isFull) break
    for (const [key, fields] of entriesIn(chunk)) {
      const entry = readOuterEntry(chunk.kind, key, fields, fault)
      if (entry !== undefined) entries[chunk.kind].push(entry)
    }
    yield* rest()
  }
  return { source: sourceIn(outer), defaults: ofKind, chunks, entries }
}

export function sourceIn({ source = DEFAULT_SOURCE }: Fields): string {
  return String(source)
}

type AddFault = (path: string, message: string) => void

function readOuterEntry(kind: KindName, key: string, fields: unknown, fault: AddFault): Entry | undefined {
  const path = joinPath(kind, key)
  if (!keyForm.test(key)) fault(path, `is not a key: ${KEY_RULE}`)
  if (!isObject(fields)) {
    fault(path, 'must be an object')
    return undefined
  }
  const { id, was } = fields
  if (id !== undefined && !(typeof id === 'string' && id.startsWith(kinds[kind].idPrefix))) {
    fault(`${path}.id`, `must be the id of a ${kinds[kind].noun}: ${kinds[kind].idPrefix}…`)
  }
  if (was !== undefined && !(typeof was === 'string' && keyForm.test(was))) {
    fault(`${path}.was`, `must be the earlier key: ${KEY_RULE}`)
  }
  return { key, path: joinPath(ROOT, path), id: id as string | undefined, was: was as string | undefined }
}

/** Reads a resource. Undefined if it has faults, which are added. */
export function readEntry(
  kind: KindName,
  { path: entryPath }: Entry,
  { id: _id, was: _was, ...own }: Fields,
  { defaults: ofKind }: Document,
  installation: Installation,
  faults: Faults,
): Fields | undefined {
  const defaults = isObject(ofKind[kind]) ? ofKind[kind] : {}
  const entry = withDefaults(kind, defaults, own)
  const verdict = kinds[kind].read(entry, installation)
  if ('fields' in verdict) return verdict.fields
  for (const { path, message } of verdict.faults) {
    if (faults.isFull) return undefined
    const at = isDefault(kind, defaults, own, path) ? `${ROOT}.defaults.${kind}` : entryPath
    faults.add(faultAt(at, { path, message: message === UNKNOWN ? explained(kind, entry, path) : message }))
  }
  return undefined
}

/** What a resource has of its own is stronger, also member by member of `mergedFields`. */
function withDefaults(kind: KindName, defaults: Fields, own: Fields): Fields {
  const merged = mergedIn(kind, defaults, own).map((name) => {
    return [name, { ...(defaults[name] as Fields), ...(own[name] as Fields) }]
  })
  return { ...defaults, ...own, ...Object.fromEntries(merged) }
}

function mergedIn(kind: KindName, defaults: Fields, own: Fields): readonly string[] {
  return (kinds[kind].mergedFields ?? []).filter((name) => isObject(defaults[name]) && isObject(own[name]))
}

/** Whether the value with the fault comes from `defaults`. */
function isDefault(kind: KindName, defaults: Fields, own: Fields, path: string): boolean {
  const [field = ''] = path.split('.')
  if (!mergedIn(kind, defaults, own).includes(field))
    return Object.hasOwn(defaults, field) && !Object.hasOwn(own, field)
  const member = path.slice(field.length + 1)
  return Object.hasOwn(defaults[field] as Fields, member) && !Object.hasOwn(own[field] as Fields, member)
}

/** The message of the validator. */
const UNKNOWN = 'is not a known field'

function explained(kind: KindName, entry: Fields, path: string): string {
  const { schema, memberNames } = kinds[kind]
  const parts = path.split('.')
  const name = parts.pop() ?? ''
  let at: readonly JsonSchema[] = [schema]
  for (const part of parts) at = at.flatMap((one) => memberOf(one, part) ?? [])
  // The schema has the members of all variants, such as of all channels.
  const ofVariant = memberNames?.(entry, parts.join('.')) ?? []
  if (ofVariant.length > 0) return unknownField(name, ofVariant)
  const names = [
    ...(parts.length === 0 ? ['id', 'was'] : []),
    ...at.flatMap((one) => (one.oneOf ?? [one]).flatMap(({ properties }) => Object.keys(properties ?? {}))),
  ]
  return unknownField(name, [...new Set(names)])
}

function memberOf(schema: JsonSchema, name: string): readonly JsonSchema[] {
  return (schema.oneOf ?? [schema]).flatMap(({ properties, items }) => properties?.[name] ?? items ?? [])
}

/** Names of fields that a message lists. */
const MAX_LISTED = 8

function unknownField(name: string, known: readonly string[]): string {
  const nearest = nearestName(known, () => name)
  if (nearest !== undefined) return `${UNKNOWN}; did you mean ${nearest}?`
  return known.length === 0 || known.length > MAX_LISTED ? UNKNOWN : `${UNKNOWN}; known are ${known.join(', ')}`
}
