const MAX_CHARACTERS = 253

/** Control characters could not be stored or would break a line. */
const controlCharacters = /\p{Cc}+/gu

/** A text of a foreign server, short enough to store and to show. */
export function boundedText(text: string, most: number = MAX_CHARACTERS): string {
  const clean = text.replace(controlCharacters, ' ').trim()
  return clean.length > most ? `${clean.slice(0, most - 1).toWellFormed()}…` : clean.toWellFormed()
}
