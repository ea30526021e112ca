import MarkdownIt from 'markdown-it'
import { escapeHtml } from './escape-html.ts'
import { limitWork, TooMuchWork } from './markdown-work.ts'

/** Links may use these schemes; others stay text. */
const allowedLink = /^(https?:\/\/|mailto:)[^\s]/i

/**
 * Renders Markdown to safe HTML, with the same rules on status pages, in e-mails and in the dashboard. HTML is escaped. Images are
 * rendered as links, so that visitors do not contact third parties. A text that takes too much work is rendered as plain text.
 */
export function createMarkdownRenderer({ linkTarget }: { readonly linkTarget?: '_blank' } = {}) {
  const engine = new MarkdownIt({ html: false, linkify: true, breaks: true, typographer: false, maxNesting: 20 })
  engine.disable(['image', 'table'])
  // Links only complete URLs: "config.sh" in a sentence is not a host.
  engine.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false })
  engine.validateLink = (address) => allowedLink.test(address)
  engine.renderer.rules.link_open = (tokens, index, options, _env, self) => {
    tokens[index]?.attrSet('rel', 'nofollow noopener noreferrer')
    if (linkTarget !== undefined) tokens[index]?.attrSet('target', linkTarget)
    return self.renderToken(tokens, index, options)
  }
  // Leaves out the class that markdown-it makes from the language of a fenced block.
  engine.renderer.rules.fence = (tokens, index) =>
    `<pre><code>${engine.utils.escapeHtml(tokens[index]?.content ?? '')}</code></pre>\n`
  engine.core.ruler.push('headings', ({ tokens, env }) => renumberHeadings(tokens, Number(env.below)))
  const resetWork = limitWork(engine)
  return {
    /** `below` is the level of the heading above the text. */
    render(text: string, below: number): string {
      resetWork()
      try {
        return engine.render(text, { below })
      } catch (error) {
        if (error instanceof TooMuchWork) return plainText(text)
        throw error
      }
    },
  }
}

function plainText(text: string): string {
  return `<p>${escapeHtml(text.trim()).replace(/\r\n?|\n/g, '<br>\n')}</p>\n`
}

/** The top heading of the text gets the level `below` + 1, and no level is skipped. */
function renumberHeadings(tokens: readonly { type: string; tag: string }[], below: number): void {
  const open: number[] = []
  for (const token of tokens) {
    if (token.type !== 'heading_open' && token.type !== 'heading_close') continue
    if (token.type === 'heading_open') {
      const level = Number(token.tag.slice(1))
      while (open.length > 0 && (open.at(-1) as number) >= level) open.pop()
      open.push(level)
    }
    token.tag = `h${Math.min(6, below + open.length)}`
  }
}
