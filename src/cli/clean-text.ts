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
