/** Characters that reorder or hide text: direction marks and zero-width characters. */
const INVISIBLE = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]/g

/** For comparing texts. Not done by the database, because the engines differ in lower case and in sort order. */
export function foldCase(text: string): string {
  return text.normalize('NFC').toLowerCase()
}

/** As part of a LIKE pattern with `escape '\\'`. */
export function likeText(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}

/** Untrusted text on one line, without invisible characters. */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(INVISIBLE, '')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: this matches control characters
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]/
const allControls = new RegExp(controls.source, 'g')

/** Removes control characters and bidirectional overrides, with which a name could rearrange the text of a page. Keeps tabs and line breaks. */
export function stripControls(text: string): string {
  return controls.test(text) ? text.replace(allControls, '') : text
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** At most `max` UTF-16 units, cut between graphemes and ending with … if anything was cut. */
export function truncate(text: string, max: number): string {
  if (text.length <= max) return text
  let end = 0
  for (const { index, segment } of graphemes.segment(text.slice(0, max + 64))) {
    if (index + segment.length > max - 1) break
    end = index + segment.length
  }
  return `${text.slice(0, end).trimEnd()}…`
}
