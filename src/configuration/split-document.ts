import { type Fault, joinPath } from '../contract/errors.ts'
import { MAX_FOREIGN_CHARS } from '../lib/foreign-work.ts'
import { isObject, parseStored } from '../lib/json.ts'
import { type KindName, kindNames } from './kinds/kind.ts'
import { withoutContent } from './without-content.ts'

type Fields = Readonly<Record<string, unknown>>

/** Resources of one kind, in the order of the document: JSON of a list of `[key, resource]`. */
export interface DocumentChunk {
  readonly kind: KindName
  readonly count: number
  readonly json: string
}

/** A document in pieces that are small enough to be parsed, compared and sealed one by one on the main thread. */
export interface SplitDocument {
  /** The document without its resources. */
  readonly outer: Fields
  readonly chunks: readonly DocumentChunk[]
}

const MAX_ENTRIES_PER_CHUNK = 100
/** Of all kinds together. The largest organizations have 15,000 monitors. */
const MAX_ENTRIES = 20_000
const MAX_FAULTS = 100
/** What one body may have at the API, so that no resource takes longer to read. */
const ENTRY_BOUNDS = { keys: 5_000, items: 20_000 }
/** Twice the largest valid resource, a request body of 100,000 control characters. */
const MAX_ENTRY_CHARS = 1024 * 1024
/** Defaults are copied into each resource of their kind. */
const MAX_DEFAULTS_CHARS = 16 * 1024 * 1024
const MAX_KEY_CHARS = 200

/** Splits a document. Runs on a thread for foreign text, because a document may have 16 MiB. `root`: where faults begin. */
export function splitDocument(document: Fields, root: string): SplitDocument | { readonly faults: readonly Fault[] } {
  const faults: Fault[] = []
  const addFault = (path: string, message: string): void => void faults.push({ path: joinPath(root, path), message })
  const chunks: DocumentChunk[] = []
  const outer = new Map<string, unknown>()
  let total = 0
  for (const name of Object.keys(document).slice(0, MAX_FAULTS)) {
    const value = document[name]
    const kind = kindNames.find((one) => one === name)
    if (name === 'defaults') {
      const fault = boundsOf(value)
      if (fault !== undefined) addFault(name, fault)
      outer.set(name, fault === undefined ? value : {})
    } else if (kind === undefined || !isObject(value)) outer.set(name, withoutContent(value))
    else {
      const keys = Object.keys(value)
      total += keys.length
      if (total > MAX_ENTRIES) {
        return { faults: [{ path: joinPath(root, kind), message: `has more than ${MAX_ENTRIES} resources` }] }
      }
      chunks.push(...chunksOf(kind, value, keys, addFault, faults))
    }
  }
  const defaults = outer.get('defaults')
  for (const [kind, fields] of Object.entries(isObject(defaults) ? defaults : {})) {
    const count = chunks.reduce((sum, chunk) => sum + (chunk.kind === kind ? chunk.count : 0), 0)
    if (count * JSON.stringify(fields).length <= MAX_DEFAULTS_CHARS) continue
    addFault(`defaults.${kind}`, `is too large for ${count} resources: together they may have 16 MiB`)
  }
  return faults.length > 0 ? { faults } : { outer: Object.fromEntries(outer), chunks }
}

function* chunksOf(
  kind: KindName,
  resources: Fields,
  keys: readonly string[],
  addFault: (path: string, message: string) => void,
  faults: readonly Fault[],
): Generator<DocumentChunk> {
  let entries: string[] = []
  let chars = 0
  const flushed = (): DocumentChunk => {
    const chunk = { kind, count: entries.length, json: `[${entries.join(',')}]` }
    entries = []
    chars = 0
    return chunk
  }
  for (const key of keys) {
    if (faults.length > MAX_FAULTS) return
    const resource = resources[key]
    const entry = JSON.stringify([
      key.slice(0, MAX_KEY_CHARS),
      isObject(resource) ? resource : withoutContent(resource),
    ])
    const fault = entry.length > MAX_ENTRY_CHARS ? 'has more than 1 MiB' : boundsOf(resource)
    if (fault !== undefined) addFault(joinPath(kind, key), fault)
    const isFull = entries.length === MAX_ENTRIES_PER_CHUNK || chars + entry.length > MAX_FOREIGN_CHARS
    if (isFull && entries.length > 0) yield flushed()
    entries.push(entry)
    chars += entry.length
  }
  if (entries.length > 0) yield flushed()
}

/** Why a resource has more than one body may have. */
function boundsOf(resource: unknown): string | undefined {
  let [keys, items] = [0, 0]
  const count = (value: unknown): void => {
    if (keys > ENTRY_BOUNDS.keys || items > ENTRY_BOUNDS.items) return
    if (Array.isArray(value)) {
      items += value.length
      for (const item of value) count(item)
    } else if (isObject(value)) {
      const members = Object.values(value)
      keys += members.length
      for (const member of members) count(member)
    }
  }
  count(resource)
  if (keys > ENTRY_BOUNDS.keys) return 'has more than 5,000 keys'
  return items > ENTRY_BOUNDS.items ? 'has more than 20,000 list items' : undefined
}

/** The resources of a chunk, by key. */
export function entriesIn({ json }: DocumentChunk): readonly (readonly [key: string, resource: unknown])[] {
  return parseStored(json)
}
