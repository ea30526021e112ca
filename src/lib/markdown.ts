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
    /** Also the lines of the text without its markup, for channels that have none. The address of a link follows its text. */
    renderWithLines(text: string, below: number): { readonly html: string; readonly lines: readonly string[] } {
      resetWork()
      try {
        const env = { below }
        const tokens = engine.parse(text, env)
        return { html: engine.renderer.render(tokens, engine.options, env), lines: linesOf(tokens) }
      } catch (error) {
        if (error instanceof TooMuchWork) return { html: plainText(text), lines: text.trim().split('\n') }
        throw error
      }
    },
  }
}

function plainText(text: string): string {
  return `<p>${escapeHtml(text.trim()).replace(/\r\n?|\n/g, '<br>\n')}</p>\n`
}

type Token = ReturnType<InstanceType<typeof MarkdownIt>['parse']>[number]

function linesOf(tokens: readonly Token[]): readonly string[] {
  const lines: string[] = []
  /** Of each open list: the number of the next item, or a bullet. */
  const lists: (number | '•')[] = []
  let mark = ''
  for (const { type, content, children, attrs } of tokens) {
    if (type === 'bullet_list_open') lists.push('•')
    else if (type === 'ordered_list_open') lists.push(startOf(attrs))
    else if (type.endsWith('_list_close')) lists.pop()
    else if (type === 'list_item_open') {
      const item = lists.at(-1) ?? '•'
      mark = `${'  '.repeat(Math.max(0, lists.length - 1))}${item}${item === '•' ? '' : '.'} `
      if (item !== '•') lists[lists.length - 1] = item + 1
    } else if (type === 'inline' || type === 'fence' || type === 'code_block') {
      const text = type === 'inline' ? inlineText(children ?? []) : content
      const [head = '', ...rest] = text.trimEnd().split('\n')
      lines.push(mark + head, ...rest)
      mark = ''
    }
  }
  return lines
}

/** The first number of an ordered list. */
function startOf(attrs: Token['attrs']): number {
  return Number(attrs?.find(([name]) => name === 'start')?.[1] ?? 1)
}

function inlineText(tokens: readonly Token[]): string {
  let text = ''
  const links: string[] = []
  for (const token of tokens) {
    if (token.type === 'softbreak' || token.type === 'hardbreak') text += '\n'
    else if (token.type === 'link_open') links.push(String(token.attrGet('href') ?? ''))
    else if (token.type === 'link_close') {
      const href = links.pop()
      if (token.markup !== 'linkify' && token.markup !== 'autolink') text += ` (${href})`
    } else text += token.content
  }
  return text
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
