import { stripVTControlCharacters } from 'node:util'

/** One line. Texts of others must not control the terminal. */
export function cleanLine(text: string): string {
  return stripVTControlCharacters(text).replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
}

/** Like `cleanLine`, for a text of several lines. Tabs stay. */
export function cleanText(text: string): string {
  return text
    .split(/([\n\t])/)
    .map((part, i) => (i % 2 === 0 ? cleanLine(part) : part))
    .join('')
}

/** JSON in which the characters that could control a terminal are escaped. JSON.stringify escapes only those below U+0020. */
export function cleanJson(value: unknown, indent = 2): string {
  return JSON.stringify(value, null, indent).replace(
    /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
