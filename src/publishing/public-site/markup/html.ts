/** Text that may stand in a page as it is. The class is known to this file alone, so only what stands here makes any. */
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

/** What may stand in a template: text is escaped, nothing and false are left out, lists are joined. */
export type HtmlValue = SafeHtml | string | number | null | undefined | false | readonly HtmlValue[]

/** A piece of a page. Values are escaped; attributes are always written in quotes, so that escaping is enough there too. */
export function html(parts: TemplateStringsArray, ...pieces: readonly HtmlValue[]): SafeHtml {
  let text = parts[0] as string
  for (let i = 0; i < pieces.length; i += 1) text += textOf(pieces[i]) + parts[i + 1]
  return new Safe(text)
}

function textOf(piece: HtmlValue): string {
  if (typeof piece === 'string') return escaped(piece)
  if (piece instanceof Safe) return piece.toString()
  if (piece === null || piece === undefined || piece === false) return ''
  if (typeof piece === 'number') return `${piece}`
  let text = ''
  for (const each of piece) text += textOf(each)
  return text
}

/** The output of a renderer that escapes by itself: Markdown, and nothing else. */
export function trustedHtml(text: string): SafeHtml {
  return new Safe(stripControls(text))
}

const replacements: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escaped(text: string): string {
  const sound = stripControls(text)
  return /[&<>"']/.test(sound) ? sound.replace(/[&<>"']/g, (character) => replacements[character] as string) : sound
}

/**
 * Without characters that would turn the order of what follows around (embeddings, overrides, isolates), and without
 * control characters: nobody's name may rearrange somebody's page.
 */
export function stripControls(text: string): string {
  return unsound.test(text) ? text.replace(everyUnsound, '') : text
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const unsound = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]/
const everyUnsound = new RegExp(unsound.source, 'g')

/** A link that somebody wrote, if it leads to the web; nothing else becomes a link. */
export function webUrl(text: string | null): string | undefined {
  const url = text === null ? null : URL.parse(text)
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') ? url.href : undefined
}
