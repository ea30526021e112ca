import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { accentCssOf } from './accent.ts'

/** A dash is not a valid slug, so this path cannot collide with a status page. */
export const ASSETS_PATH = '/status/-'

/** Concatenated in this order. The dashboard imports the same tokens.css. */
const css = ['tokens', 'base', 'monitors', 'day-bars', 'content', 'standalone', 'media']
  .map((name) => readFileSync(join(import.meta.dirname, `${name}.css`), 'utf8'))
  .join('')
  // Strips comments and indentation.
  .replace(/\/\*.*?\*\//gs, '')
  .replace(/\s*\n\s*/g, '')

const digest = createHash('sha256').update(css).digest('hex').slice(0, 12)

/** Contains a hash of the content, so clients may cache it forever. */
export const pageStylesheetName = `page-${digest}.css`

/** The content of a stylesheet; undefined for unknown names. */
export function stylesheetNamed(name: string): string | undefined {
  return name === pageStylesheetName ? css : accentCssOf(name)
}
