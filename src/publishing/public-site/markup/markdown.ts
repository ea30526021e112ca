import { createMarkdownRenderer } from '../../../lib/markdown.ts'
import { stripControls } from '../../../lib/text.ts'
import { ownTurn } from '../render-queue.ts'
import { html, type SafeHtml, trustedHtml } from './html.ts'

/** The longest accepted text. */
const MAX_CHARACTERS = 50_000

/** Bounds the cache of rendered texts by their source. */
const MAX_CACHED_CHARACTERS = 4_000_000

/** A text takes at most a few ms more than this, so the event loop is never blocked for long. */
const MAX_BLOCKING_MS = 10

interface Text {
  readonly text: string
  readonly below: number
}

const renderer = createMarkdownRenderer()
/** Oldest first. */
const cache = new Map<string, SafeHtml>()
let cachedCharacters = 0
/** Set while `renderInSteps` looks for texts that are not in the cache. */
let missing: Map<string, Text> | undefined
const empty = html``

/** Renders Markdown; its headings start one level below `below`. */
export function markdown(text: string, below: number): SafeHtml {
  const key = `${below}${text}`
  const known = cache.get(key)
  if (known !== undefined) return known
  if (missing === undefined) return renderAndCache(key, { text, below })
  missing.set(key, { text, below })
  return empty
}

/**
 * Calls `render`, which uses `markdown` for any number of texts. Those that are not in the cache are rendered first, and other
 * requests are served in between: an incident page can have 200 texts.
 */
export async function renderInSteps<T>(render: () => T): Promise<T> {
  const { result, texts } = findMissing(render)
  if (texts.size === 0) return result
  let startedAt = performance.now()
  for (const [key, text] of texts) {
    // Another page may have rendered it meanwhile.
    if (!cache.has(key)) renderAndCache(key, text)
    if (performance.now() - startedAt < MAX_BLOCKING_MS) continue
    await ownTurn()
    startedAt = performance.now()
  }
  return render()
}

function findMissing<T>(render: () => T): { result: T; texts: ReadonlyMap<string, Text> } {
  const texts = new Map<string, Text>()
  missing = texts
  try {
    return { result: render(), texts }
  } finally {
    missing = undefined
  }
}

function renderAndCache(key: string, { text, below }: Text): SafeHtml {
  const rendered = trustedHtml(renderer.render(stripControls(text.slice(0, MAX_CHARACTERS)), below))
  cache.set(key, rendered)
  cachedCharacters += key.length
  for (const [oldest] of cache) {
    if (cachedCharacters <= MAX_CACHED_CHARACTERS || oldest === key) break
    cache.delete(oldest)
    cachedCharacters -= oldest.length
  }
  return rendered
}
