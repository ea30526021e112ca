import { gunzipSync, gzipSync } from 'node:zlib'
import { MAX_FOREIGN_CHARS } from './foreign-work.ts'
import type { Sealer } from './seal.ts'

/** Fast rather than small: what is sealed in lines is deleted after a while. */
const LEVEL = 1

/**
 * Large texts are sealed line by line, each compressed on its own, so that neither sealing nor opening one holds the event loop. A line
 * has at most 64 KiB, or one resource.
 */
export function sealLine(sealer: Sealer, line: string, context: string): string {
  return sealer.seal(gzipSync(line, { level: LEVEL }).toString('base64'), context)
}

export function openLine(sealer: Sealer, sealed: string, context: string): string {
  return gunzipSync(Buffer.from(sealer.open(sealed, context), 'base64'), { maxOutputLength: MAX_LINE_BYTES }).toString()
}

const MAX_LINE_BYTES = 64 * MAX_FOREIGN_CHARS

/** Of sealed lines in one column. Their base64 has no line breaks. */
export function joinLines(lines: readonly string[]): string {
  return lines.join('\n')
}

export function splitLines(joined: string): readonly string[] {
  return joined.split('\n')
}
