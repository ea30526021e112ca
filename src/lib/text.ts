/** What would turn a line around or hide in it: direction marks, and characters that take no room. */
const UNSEEN = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]/g

/** Somebody else's text as one line that looks like what it is. */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(UNSEEN, '')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
}

const letters = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** At most so many UTF-16 units, and never half a letter or half an emoji; what was cut shows. */
export function truncate(text: string, most: number): string {
  if (text.length <= most) return text
  let end = 0
  for (const { index, segment } of letters.segment(text.slice(0, most + 64))) {
    if (index + segment.length > most - 1) break
    end = index + segment.length
  }
  return `${text.slice(0, end).trimEnd()}…`
}
