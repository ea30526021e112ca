/**
 * The start of somebody else's text, as text that every database can store: PostgreSQL refuses NUL, and the cut must not
 * leave half of a surrogate pair.
 */
export function excerptOf(text: string, maxLength: number): string {
  const start = text.slice(0, maxLength)
  const whole = start.length < text.length && /[\uD800-\uDBFF]$/.test(start) ? start.slice(0, -1) : start
  return whole.toWellFormed().replaceAll('\0', '\uFFFD')
}
