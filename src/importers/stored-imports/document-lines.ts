import { splitDocument } from '../../configuration/split-document.ts'
import { DOCUMENT_BODY_BYTES } from '../../contract/operation.ts'
import { type ImportResult, WrongFileError } from '../result.ts'
import { boundedId } from './report-lines.ts'

/** Where an object is in the document, and its id in the other tool. */
export type Place = readonly [place: string, sourceId: string]

/** A line of a stored document. */
export type DocumentLine =
  /** The document without its resources. */
  | { readonly outer: Readonly<Record<string, unknown>> }
  | { readonly kind: string; readonly entries: readonly (readonly [key: string, resource: unknown])[] }
  | { readonly places: readonly Place[] }

const PLACES_PER_LINE = 200

/** The document of an import, in lines of at most 64 KiB or one resource. Also with the places of objects that the report does not list. */
export function documentLines({ document, objects }: ImportResult): readonly string[] {
  const split = splitDocument(document, '')
  if ('faults' in split) {
    const { path = '', message = '' } = split.faults[0] ?? {}
    throw new WrongFileError(`The files have more than can be imported at once: ${path} ${message}.`)
  }
  const places = objects.flatMap(({ key, sourceId }): Place[] =>
    key === undefined ? [] : [[key, boundedId(sourceId)]],
  )
  const lines = [JSON.stringify({ outer: split.outer } satisfies DocumentLine)]
  for (const { kind, json } of split.chunks) lines.push(`{"kind":"${kind}","entries":${json}}`)
  for (let from = 0; from < places.length; from += PLACES_PER_LINE) {
    lines.push(JSON.stringify({ places: places.slice(from, from + PLACES_PER_LINE) } satisfies DocumentLine))
  }
  if (lines.reduce((sum, line) => sum + Buffer.byteLength(line), 0) > DOCUMENT_BODY_BYTES) {
    throw new WrongFileError('The files have more than can be imported at once: their document has more than 16 MiB.')
  }
  return lines
}
