import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { accentNamed } from './accent.ts'

/** No slug is a dash, so what all pages share can stand beside them. */
export const ASSETS_PATH = '/status/-'

/** In this order. The dashboard has the same tokens: the colours. */
const css = ['tokens', 'ground', 'monitors', 'writing', 'surroundings']
  .map((name) => readFileSync(join(import.meta.dirname, `styles/${name}.css`), 'utf8'))
  .join('')
  // Comments and indentation are for us.
  .replace(/\/\*.*?\*\//gs, '')
  .replace(/\s*\n\s*/g, '')

const digest = createHash('sha256').update(css).digest('hex').slice(0, 12)

/** The name has the content's hash in it: another content is another file, so it may be kept for ever. */
export const styleName = `page-${digest}.css`

/** A stylesheet by its name; there is nothing else to load. */
export function stylesheet(name: string): string | undefined {
  return name === styleName ? css : accentNamed(name)
}
