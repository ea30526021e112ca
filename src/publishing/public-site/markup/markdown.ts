import { createMarkdownRenderer } from '../../../lib/markdown.ts'
import { type SafeHtml, stripControls, trustedHtml } from './html.ts'

/** The longest accepted text. */
const MAX_CHARACTERS = 50_000

/** Bounds the cache of rendered texts by their source. The worst 50,000 characters take 250 ms to render. */
const MAX_CACHED_CHARACTERS = 4_000_000

const renderer = createMarkdownRenderer()
const cache = new Map<string, SafeHtml>()
let cachedCharacters = 0

/** Renders Markdown; its headings start one level below `below`. */
export function markdown(text: string, below: number): SafeHtml {
  const key = `${below}${text}`
  const known = cache.get(key)
  if (known !== undefined) return known
  const rendered = trustedHtml(renderer.render(stripControls(text.slice(0, MAX_CHARACTERS)), below))
  if (cachedCharacters + key.length > MAX_CACHED_CHARACTERS) {
    cache.clear()
    cachedCharacters = 0
  }
  cache.set(key, rendered)
  cachedCharacters += key.length
  return rendered
}
