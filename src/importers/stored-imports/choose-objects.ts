import { type SplitDocument, splitDocument } from '../../configuration/split-document.ts'
import type { Fault } from '../../contract/errors.ts'
import { DOCUMENT_BODY_BYTES } from '../../contract/operation.ts'
import type { ForeignTask } from '../../lib/foreign-work.ts'
import { notMuted } from '../muted-monitors.ts'
import { withRenames } from '../renames.ts'
import { withValues } from '../variables.ts'
import { without } from './choose.ts'
import type { DocumentLine, Place } from './document-lines.ts'

interface Choice {
  /** The stored document, as JSON. */
  readonly lines: readonly string[]
  /** By kind, the keys that earlier imports gave. */
  readonly knownKeys: Readonly<Record<string, readonly string[]>>
  /** The places of the chosen objects; all if undefined. */
  readonly keys: readonly string[] | undefined
  readonly values: Readonly<Record<string, string>>
  readonly alertNow: boolean
}

const TOO_LARGE = { faults: [{ path: 'variableValues', message: 'make the document larger than 16 MiB' }] }

/** The document of the chosen objects, with the values of variables. */
export const chooseObjects: ForeignTask<Choice, SplitDocument | { readonly faults: readonly Fault[] }> = {
  name: 'chooseObjects',
  run({ lines, knownKeys, keys, values, alertNow }) {
    const { document, places } = documentOf(lines)
    if (sizeWith(values, lines) > DOCUMENT_BODY_BYTES) return TOO_LARGE
    const objects = places.map(([key, sourceId]) => ({ key, sourceId }))
    const renamed = withRenames({ document, objects }, (kind) => knownKeys[kind] ?? [])
    const chosen = keys && new Set(keys)
    // What belongs to no object, such as a page that was made of groups, is always imported.
    const left = new Set(places.flatMap(([key]) => (chosen === undefined || chosen.has(key) ? [] : [key])))
    const wanted = alertNow ? notMuted(renamed) : renamed
    const split = splitDocument(withValues(without(wanted, left), values), 'document')
    if ('faults' in split) return split
    return split.chunks.reduce((sum, { json }) => sum + json.length, 0) > DOCUMENT_BODY_BYTES ? TOO_LARGE : split
  },
}

function documentOf(lines: readonly string[]) {
  const places: Place[] = []
  let outer: Readonly<Record<string, unknown>> = {}
  const kinds = new Map<string, (readonly [string, unknown])[]>()
  for (const json of lines) {
    const line = JSON.parse(json) as DocumentLine
    if ('outer' in line) outer = line.outer
    else if ('places' in line) places.push(...line.places)
    else kinds.getOrInsertComputed(line.kind, () => []).push(...line.entries)
  }
  const resources = [...kinds].map(([kind, entries]) => [kind, Object.fromEntries(entries)])
  return { document: { ...outer, ...Object.fromEntries(resources) }, places }
}

/** The characters of the document with the values of its variables, before anything is replaced. */
function sizeWith(values: Choice['values'], lines: readonly string[]): number {
  let chars = 0
  for (const line of lines) {
    chars += line.length
    for (const [, name = ''] of line.matchAll(/\$\{([A-Za-z_]\w*)\}/g))
      if (Object.hasOwn(values, name)) chars += values[name]?.length ?? 0
  }
  return chars
}
