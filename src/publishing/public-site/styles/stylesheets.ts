import { join } from 'node:path'
import { accentCssOf } from './accent.ts'
import { contentDigest, readCss } from './read-css.ts'

/** A dash is not a valid slug, so this path cannot collide with a status page. */
export const ASSETS_PATH = '/status/-'

/** Concatenated in this order. The dashboard imports the same tokens.css. */
const css = readCss(
  ['tokens', 'base', 'monitors', 'day-bars', 'content', 'standalone', 'media'].map((name) =>
    join(import.meta.dirname, `${name}.css`),
  ),
)

/** Contains a hash of the content, so clients may cache it forever. */
export const pageStylesheetName = `page-${contentDigest(css)}.css`

/** The content of a stylesheet; undefined for unknown names. */
export function stylesheetNamed(name: string): string | undefined {
  return name === pageStylesheetName ? css : accentCssOf(name)
}
