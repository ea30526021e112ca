import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** Stylesheets in one text, without comments and indentation. */
export function readCss(files: readonly string[]): string {
  return files
    .map((file) => readFileSync(file, 'utf8'))
    .join('')
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/\s*\n\s*/g, '')
}

/** For the name of a file that clients cache forever. */
export function contentDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}
