import { html, type Piece, type SafeHtml } from './html.ts'

/**
 * A piece of XML: the same escaping as in a page, without the characters that a page may have and XML may not. There are
 * five entities in XML, and those are the ones that `html` writes.
 */
export function xml(parts: TemplateStringsArray, ...pieces: readonly Piece[]): SafeHtml {
  return html(parts, ...pieces.map(allowed))
}

function allowed(piece: Piece): Piece {
  return typeof piece === 'string' ? piece.toWellFormed().replace(/[\ufffe\uffff]/g, '') : piece
}

/** HTML as the text of an element: for readers who take it out again. */
export function embedded(content: SafeHtml): string {
  return content.toString()
}
