import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { EncodedContent } from '../../publishing/public-site/http/encoded-content.ts'
import { FOREVER } from '../../publishing/public-site/http/headers.ts'

/** A file of the reference and its path, which contains a hash, so clients may cache it forever. */
export interface Asset {
  readonly path: string
  readonly content: () => EncodedContent
}

function asset(name: string, extension: string, hashed: string, type: string, text: () => string): Asset {
  const digest = createHash('sha256').update(hashed).digest('hex').slice(0, 12)
  const headers = { 'cache-control': FOREVER, 'x-content-type-options': 'nosniff' }
  return {
    path: `/docs/assets/${name}-${digest}.${extension}`,
    content: () => new EncodedContent(text(), `${type}; charset=utf-8`, headers),
  }
}

/** The colours of the status pages, and the styles of the reference. */
export function stylesheet(): Asset {
  const files = ['../../publishing/public-site/styles/tokens.css', 'reference.css']
  const css = files
    .map((file) => readFileSync(join(import.meta.dirname, file), 'utf8'))
    .join('')
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/\s*\n\s*/g, '')
  return asset('reference', 'css', css, 'text/css', () => css)
}

export function script(): Asset {
  const code = ['dom', 'search', 'reference'].map(browserScript).join('')
  return asset('reference', 'js', code, 'text/javascript', () => code)
}

/** Named by what it is made of: it is built when it is first requested. */
export function searchFile(source: string, index: () => unknown): Asset {
  return asset('search', 'json', source, 'application/json', () => JSON.stringify(index()))
}

/** A script of the browser as a part of one file: its imports are the parts before it. */
function browserScript(name: string): string {
  return readFileSync(join(import.meta.dirname, `browser/${name}.js`), 'utf8')
    .replace(/^import .*$/gm, '')
    .replace(/^export /gm, '')
    .replace(/^\s*\/\*\*.*?\*\/$/gms, '')
    .replace(/\n\s*\n/g, '\n')
}
