import { MAX_FOREIGN_CHARS } from '../../lib/foreign-work.ts'
import type { ImportedObject, ImportResult } from '../result.ts'

const MAX_NAME_CHARS = 200
const MAX_SENTENCE_CHARS = 500
const MAX_LOSSES = 50
const MAX_OBJECTS = 5_000
/** Of all objects together, as JSON. */
const MAX_BYTES = 2 * 1024 * 1024
const MAX_UNREADABLE = 100
const MAX_VARIABLES = 200

/** An object as the report of a stored import has it. */
export interface ReportedObject extends Required<Omit<ImportedObject, 'key' | 'reason'>> {
  readonly key: string | null
  readonly reason: string | null
  readonly keepsAddress: boolean
  readonly needsNewAddress: boolean
}

/** The report without its objects. */
export interface ReportHead {
  readonly unreadable: readonly string[]
  readonly variables: readonly string[]
  /** How many objects each line has. */
  readonly objectsPerLine: readonly number[]
}

export interface ReportLines {
  readonly head: ReportHead
  /** JSON of lists of objects, at most 64 KiB each, or one object. */
  readonly lines: readonly string[]
}

type Heartbeats = Pick<ReportedObject, 'keepsAddress' | 'needsNewAddress'>

/**
 * A report of bounded size, whatever the files contain. What does not fit is counted in a sentence. `heartbeatsOf` says of a place,
 * such as `monitors.backup`, where its job reports to.
 */
export function reportLines(result: ImportResult, heartbeatsOf: (place: string) => Heartbeats): ReportLines {
  const { objects, unreadable, variables = [] } = result
  const lines: string[] = []
  const objectsPerLine: number[] = []
  let line: string[] = []
  let [lineChars, bytes, listed] = [0, 0, 0]
  const endLine = (): void => {
    if (line.length === 0) return
    lines.push(`[${line.join(',')}]`)
    objectsPerLine.push(line.length)
    line = []
    lineChars = 0
  }
  for (const object of objects.slice(0, MAX_OBJECTS)) {
    const json = JSON.stringify(reported(object, heartbeatsOf))
    bytes += Buffer.byteLength(json)
    if (bytes > MAX_BYTES) break
    if (lineChars + json.length > MAX_FOREIGN_CHARS) endLine()
    line.push(json)
    lineChars += json.length + 1
    listed += 1
  }
  endLine()
  const left = [
    ...rest(objects.length - listed, 'objects are not listed. They are imported only with all others'),
    ...rest(variables.length - MAX_VARIABLES, 'environment variables are not listed'),
    ...rest(unreadable.length - MAX_UNREADABLE, 'parts of the files could not be read'),
  ]
  return {
    head: {
      unreadable: [...left, ...unreadable.slice(0, MAX_UNREADABLE).map((text) => cut(text, MAX_SENTENCE_CHARS))],
      variables: variables.slice(0, MAX_VARIABLES).map((name) => cut(name, MAX_NAME_CHARS)),
      objectsPerLine,
    },
    lines,
  }
}

function reported(object: ImportedObject, heartbeatsOf: (place: string) => Heartbeats): ReportedObject {
  const { kind, sourceId, name, outcome, key = null, losses, reason } = object
  const all = losses.slice(0, MAX_LOSSES).map((loss) => cut(loss, MAX_SENTENCE_CHARS))
  return {
    kind: cut(kind, MAX_NAME_CHARS),
    sourceId: boundedId(sourceId),
    name: cut(name, MAX_NAME_CHARS),
    outcome,
    key,
    losses: [...all, ...rest(losses.length - MAX_LOSSES, 'settings are lost')],
    reason: reason === undefined ? null : cut(reason, MAX_SENTENCE_CHARS),
    ...(key === null ? { keepsAddress: false, needsNewAddress: false } : heartbeatsOf(key)),
  }
}

export function boundedId(sourceId: string): string {
  return cut(sourceId, MAX_NAME_CHARS)
}

function rest(count: number, what: string): string[] {
  return count > 0 ? [`${count.toLocaleString('en')} more ${what}.`] : []
}

/** Not within a character of two units. */
function cut(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars - 1).replace(/[\ud800-\udbff]$/, '')}…`
}
