import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import type { ForeignTask } from '../lib/foreign-work.ts'
import { canonicalJson } from '../lib/json.ts'
import type { Fault } from './errors.ts'
import { BODY_BOUNDS, boundFault, type JsonBounds } from './json-bounds.ts'

export type JsonOutcome = { readonly value: unknown } | { readonly faults: readonly Fault[] }

/** Parses a JSON text whose keys, items and levels are within the bounds. */
export function parseJson(bytes: Uint8Array, bounds: JsonBounds = BODY_BOUNDS): JsonOutcome {
  const beyond = boundFault(bytes, bounds)
  if (beyond !== undefined) return { faults: [beyond] }
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    return bodyFault('must be UTF-8')
  }
  try {
    return { value: JSON.parse(text) }
  } catch {
    return bodyFault('must be valid JSON')
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/** For bodies above 64 KiB. */
export const parseLargeJson: ForeignTask<Uint8Array, JsonOutcome> = {
  name: 'parseLargeJson',
  run: (bytes) => parseJson(bytes),
}

interface DocumentBytes {
  readonly bytes: Uint8Array
  readonly isGzip: boolean
  /** Of the decompressed body. */
  readonly maxBytes: number
}

/** `digest` identifies the content of the body. */
type DocumentOutcome = { readonly value: unknown; readonly digest: string } | { readonly faults: readonly Fault[] }

/** How the body of an operation is read that is a large document. It runs in a thread for foreign text. */
export type DocumentReader = ForeignTask<DocumentBytes, DocumentOutcome>

/** `read` makes of the parsed body what the operation receives: in pieces that the main thread can work on one by one. */
export function documentReader(name: string, bounds: JsonBounds, read: (body: unknown) => JsonOutcome): DocumentReader {
  return {
    name,
    run({ bytes, isGzip, maxBytes }) {
      let json = bytes
      try {
        if (isGzip) json = gunzipSync(bytes, { maxOutputLength: maxBytes })
      } catch (error) {
        const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
        return bodyFault(isTooLarge ? `must be at most ${sizeText(maxBytes)}` : 'must be valid gzip')
      }
      const parsed = parseJson(json, bounds)
      if ('faults' in parsed) return parsed
      const digest = createHash('sha256').update(canonicalJson(parsed.value)).digest('hex')
      const result = read(parsed.value)
      return 'faults' in result ? result : { value: result.value, digest }
    },
  }
}

function bodyFault(message: string): { readonly faults: readonly Fault[] } {
  return { faults: [{ path: 'body', message }] }
}

/** `2 MiB` or `64 KiB`. */
export function sizeText(bytes: number): string {
  const kib = bytes / 1024
  return kib < 1024 ? `${kib} KiB` : `${kib / 1024} MiB`
}
