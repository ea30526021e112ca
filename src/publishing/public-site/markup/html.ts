import { escapeHtml } from '../../../lib/escape-html.ts'
import { stripControls } from '../../../lib/text.ts'

/** Escaped HTML. The class is not exported, so only this file can create it. */
class Safe {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  toString(): string {
    return this.#text
  }
}

export type SafeHtml = Safe

/** Strings are escaped; null, undefined and false are left out; arrays are joined. */
export type HtmlValue = SafeHtml | string | number | null | undefined | false | readonly HtmlValue[]

/** A template tag that escapes its values. Attribute values must be in quotes. */
export function html(parts: TemplateStringsArray, ...pieces: readonly HtmlValue[]): SafeHtml {
  let text = parts[0] as string
  for (let i = 0; i < pieces.length; i += 1) text += textOf(pieces[i]) + parts[i + 1]
  return new Safe(text)
}

function textOf(piece: HtmlValue): string {
  if (typeof piece === 'string') return escapeHtml(stripControls(piece))
  if (piece instanceof Safe) return piece.toString()
  if (piece === null || piece === undefined || piece === false) return ''
  if (typeof piece === 'number') return `${piece}`
  let text = ''
  for (const each of piece) text += textOf(each)
  return text
}

/** Pieces that repeat in many places: joined once, so that any run of them is one slice. */
export class RepeatedHtml {
  readonly #text: string
  readonly #offsets: readonly number[]

  constructor(pieces: readonly SafeHtml[]) {
    const offsets = [0]
    let text = ''
    for (const piece of pieces) {
      text += piece.toString()
      offsets.push(text.length)
    }
    this.#text = text
    this.#offsets = offsets
  }

  /** The pieces from `from` up to, but not including, `to`. */
  run(from: number, to: number): SafeHtml {
    return new Safe(this.#text.slice(this.#offsets[from], this.#offsets[to]))
  }
}

/** Only for the output of the Markdown renderer, which escapes by itself, and for constants. */
export function trustedHtml(text: string): SafeHtml {
  return new Safe(stripControls(text))
}

/** The normalized URL if it is http or https, else undefined. */
export function webUrl(text: string | null): string | undefined {
  const url = text === null ? null : URL.parse(text)
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') ? url.href : undefined
}
