import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { EncodedContent } from '../../publishing/public-site/http/encoded-content.ts'
import { FOREVER } from '../../publishing/public-site/http/headers.ts'
import { contentDigest, readCss } from '../../publishing/public-site/styles/read-css.ts'
import { DOCS_PATH } from './layout.ts'

/** A file of the reference and its path, which contains a hash of the content, so clients may cache it forever. */
export interface Asset {
  readonly path: string
  readonly content: () => EncodedContent
}

function asset(name: string, extension: string, type: string, text: string): Asset {
  const headers = { 'cache-control': FOREVER, 'x-content-type-options': 'nosniff' }
  return {
    path: `${DOCS_PATH}/assets/${name}-${contentDigest(text)}.${extension}`,
    content: () => new EncodedContent(text, `${type}; charset=utf-8`, headers),
  }
}

/** The colours of the status pages, and the styles of the reference. */
export function stylesheet(): Asset {
  const files = ['../../publishing/public-site/styles/tokens.css', 'reference.css', 'operations.css']
  return asset('reference', 'css', 'text/css', readCss(files.map((file) => join(import.meta.dirname, file))))
}

export function script(): Asset {
  const text = readFileSync(join(import.meta.dirname, 'browser/reference.js'), 'utf8')
  return asset(
    'reference',
    'js',
    'text/javascript',
    text.replace(/^\s*\/\*\*.*?\*\/$/gms, '').replace(/\n\s*\n/g, '\n'),
  )
}

export function searchFile(index: unknown): Asset {
  return asset('search', 'json', 'application/json', JSON.stringify(index))
}
