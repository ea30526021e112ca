import MarkdownIt from 'markdown-it'
import { type SafeHtml, stripControls, trustedHtml } from './html.ts'

/** No text that is accepted is longer; what is must cost no more. */
const MAX_CHARACTERS = 50_000

/** Rendered texts are kept up to so many characters of source: a page shows the same updates until another is posted. */
const MAX_KEPT_CHARACTERS = 4_000_000

/** Links that may be followed; everything else stays text. */
const followed = /^(https?:\/\/|mailto:)[^\s]/i

const engine = new MarkdownIt({ html: false, linkify: true, breaks: true, typographer: false, maxNesting: 20 })
// An image is left as a link to it: the visitors of a page do not tell a stranger's server that they came.
engine.disable(['image', 'table'])
// Only addresses that are written out become links: "config.sh" in a sentence is no address.
engine.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false })
engine.validateLink = (address) => followed.test(address)
engine.renderer.rules.link_open = (tokens, index, options, _env, self) => {
  tokens[index]?.attrSet('rel', 'nofollow noopener noreferrer')
  return self.renderToken(tokens, index, options)
}
// The language of a fenced block is not shown, and a class is nobody's to choose.
engine.renderer.rules.fence = (tokens, index) =>
  `<pre><code>${engine.utils.escapeHtml(tokens[index]?.content ?? '')}</code></pre>\n`

/**
 * Headings continue the page's own, which the text stands below: its top level comes next after `below`, and no level is
 * left out, whatever its author began with.
 */
engine.core.ruler.push('headings', ({ tokens, env }) => {
  const open: number[] = []
  for (const token of tokens) {
    if (token.type !== 'heading_open' && token.type !== 'heading_close') continue
    if (token.type === 'heading_open') {
      const level = Number(token.tag.slice(1))
      while (open.length > 0 && (open.at(-1) as number) >= level) open.pop()
      open.push(level)
    }
    token.tag = `h${Math.min(6, (env as { below: number }).below + open.length)}`
  }
})

const kept = new Map<string, SafeHtml>()
let keptCharacters = 0

/** What people wrote about an incident, without anything that could run, load or lead elsewhere than it says. */
export function markdown(text: string, below: number): SafeHtml {
  const key = `${below}${text}`
  const known = kept.get(key)
  if (known !== undefined) return known
  const rendered = trustedHtml(engine.render(stripControls(text.slice(0, MAX_CHARACTERS)), { below }))
  if (keptCharacters + key.length > MAX_KEPT_CHARACTERS) {
    kept.clear()
    keptCharacters = 0
  }
  kept.set(key, rendered)
  keptCharacters += key.length
  return rendered
}
