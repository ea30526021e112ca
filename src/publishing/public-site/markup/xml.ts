import { type HtmlValue, html, type SafeHtml } from './html.ts'

/**
 * A piece of XML: the same escaping as in a page, without the characters that a page may have and XML may not. There are
 * five entities in XML, and those are the ones that `html` writes.
 */
export function xml(parts: TemplateStringsArray, ...pieces: readonly HtmlValue[]): SafeHtml {
  return html(parts, ...pieces.map(allowed))
}

function allowed(piece: HtmlValue): HtmlValue {
  return typeof piece === 'string' ? piece.toWellFormed().replace(/[\ufffe\uffff]/g, '') : piece
}

/** HTML as the text of an element: for readers who take it out again. */
export function htmlSource(content: SafeHtml): string {
  return content.toString()
}
