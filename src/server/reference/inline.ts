import { type HtmlValue, html, type SafeHtml } from '../../publishing/public-site/markup/html.ts'

/** A sentence of the document: text between backticks is code. */
export function inline(text: string): SafeHtml {
  const parts = text.split('`').map((part, i): HtmlValue => (i % 2 === 1 ? html`<code>${part}</code>` : part))
  return html`${parts}`
}
