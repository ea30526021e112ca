import { type HtmlValue, html, type SafeHtml } from '../../publishing/public-site/markup/html.ts'

/** A sentence of the document: text between backticks is code. */
export function inline(text: string): SafeHtml {
  const parts = text.split('`').map((part, i): HtmlValue => (i % 2 === 1 ? html`<code>${part}</code>` : part))
  return html`${parts}`
}

/** Strings, and words that are values, in JSON and in the languages of the code samples. */
const token =
  /("(?:[^"\\\n]|\\.)*")(\s*:)?|('(?:[^'\\\n]|\\.)*')|\b(true|false|null|True|False|None|await|const|import|if|throw|new)\b|\b(\d+(?:\.\d+)?)\b/g

/** Code with strings, numbers and keywords marked. It is a help for the eye, so approximate marks do no harm. */
export function highlight(code: string): SafeHtml {
  const parts: HtmlValue[] = []
  let end = 0
  for (const match of code.matchAll(token)) {
    const [, text, colon, single, word, number] = match
    const kind =
      colon !== undefined ? 'key' : (text ?? single) !== undefined ? 'text' : word !== undefined ? 'word' : 'number'
    const marked = text ?? single ?? word ?? number ?? ''
    // Names of members keep the colour of the text.
    parts.push(code.slice(end, match.index), kind === 'key' ? marked : html`<span class="${kind}">${marked}</span>`)
    end = match.index + marked.length
  }
  return html`${parts}${code.slice(end)}`
}

export function codeBlock(title: string, code: string): SafeHtml {
  return html`<div class="code"><p class="code-title">${title}</p><button type="button" class="copy" hidden>Copy</button><pre tabindex="0"><code>${highlight(code)}</code></pre></div>`
}
