import { mapTexts } from '../lib/variables.ts'
import { type Found, type MonitorFields, targetOf } from './found.ts'

/** The label of a monitor whose container or object is gone, with the time since when. */
export const MISSING_LABEL = 'missing-since'

/** A monitor of the document. */
export interface Entry extends MonitorFields {
  /** The key that it had before. */
  readonly was?: string
  /** The monitor that it adopts. */
  readonly id?: string
}

/** The monitors of an earlier document, by key. A key such as `constructor` is that of a host. */
export type Previous = ReadonlyMap<string, Entry>

export interface Merged {
  readonly monitors: ReadonlyMap<string, Entry>
  /** What could not be used, a sentence each. */
  readonly problems: readonly string[]
}

/**
 * The next document of a source: what was found, and what the previous document has and was not found, for the grace period.
 * If nothing was found, nothing is released: a fault is more likely than a host without containers.
 */
export function mergeDocument(found: readonly Found[], previous: Previous, now: number, graceMs: number): Merged {
  const problems: string[] = []
  const present = new Map<string, Entry>()
  const targets = new Map<string, string>()
  // Of two names for the same target, the one that is known already wins.
  const inOrder = [...found].sort((a, b) => rank(a, previous) - rank(b, previous) || (a.key < b.key ? -1 : 1))
  for (const { key, fields: given } of inOrder) {
    const fields = given ?? without(previous.get(key))
    if (fields === undefined) continue
    const target = targetOf(fields)
    const other = present.get(key)
    if (other !== undefined && targetOf(other) !== target) {
      problems.push(`${fields.name} and ${other.name} would both have the key ${key}: rename one of them`)
    }
    if (other !== undefined || targets.has(target)) continue
    // A file may not have been applied since it was written.
    const was = previous.get(key)?.was
    present.set(key, { ...fields, ...(was !== undefined && { was }) })
    targets.set(target, key)
  }
  for (const [key, entry] of [...previous].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (present.has(key)) continue
    const renamed = targets.get(targetOf(entry))
    const since = Date.parse(entry.labels[MISSING_LABEL] ?? '')
    const isOver = now - since > graceMs && found.length > 0
    if (renamed !== undefined) {
      const other = present.get(renamed) as Entry
      if (!previous.has(renamed) && other.was === undefined) present.set(renamed, { ...other, was: key })
    } else if (!isOver) {
      const labels = { ...entry.labels, [MISSING_LABEL]: new Date(Number.isNaN(since) ? now : since).toISOString() }
      present.set(key, { ...entry, labels })
    }
  }
  return { monitors: new Map([...present].sort(([a], [b]) => (a < b ? -1 : 1))), problems }
}

function rank({ key }: Found, previous: Previous): number {
  return previous.has(key) ? 0 : 1
}

function without(fields: MonitorFields | undefined): MonitorFields | undefined {
  if (fields === undefined) return undefined
  const { [MISSING_LABEL]: _, ...labels } = fields.labels
  return { ...fields, labels }
}

/** In the order of the document. */
const fieldNames = [
  'name',
  'type',
  'url',
  'host',
  'port',
  'keyword',
  'method',
  'expectedStatus',
  'verifySsl',
  'intervalSeconds',
  'timeoutSeconds',
  'labels',
  'was',
  'id',
] as const satisfies readonly (keyof Entry)[]

function ordered(entry: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(fieldNames.flatMap((name) => (entry[name] === undefined ? [] : [[name, entry[name]]])))
}

/** The monitors of a document that was written or exported before: the fields that discovery writes. */
export function readMonitors(document: Readonly<Record<string, unknown>>): Previous {
  const monitors = Object.entries(
    (document.monitors ?? {}) as Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  )
  return new Map(
    monitors.map(([key, entry]) => [key, unescaped({ labels: {}, ...ordered(entry) }) as unknown as Entry]),
  )
}

export function writeDocument(source: string, monitors: Merged['monitors']): Readonly<Record<string, unknown>> {
  const written = [...monitors].map(([key, { labels, ...fields }]) => {
    return [key, ordered({ ...fields, ...(Object.keys(labels).length > 0 && { labels }) })]
  })
  return { version: 1, source, ...(written.length > 0 && { monitors: Object.fromEntries(written) }) }
}

function unescaped(value: unknown): unknown {
  return mapTexts(value, (text) => text.replaceAll('$${', () => '${'))
}
