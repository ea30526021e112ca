import { stripControls } from '../markup/html.ts'

/** Escapes text as a property value (RFC 5545, 3.3.11). */
export function icalText(text: string): string {
  return stripControls(text.toWellFormed().replace(/\r\n?/g, '\n'))
    .replace(/[\\;,]/g, '\\$&')
    .replaceAll('\n', '\\n')
}

const MAX_OCTETS = 75

/** Folds a content line to at most 75 octets per line, without splitting characters. */
export function foldLine(content: string): string {
  const folded: string[] = []
  let part = ''
  let octets = 0
  for (const character of content) {
    const size = Buffer.byteLength(character)
    if (octets + size > MAX_OCTETS) {
      folded.push(part)
      // A continuation line starts with a space, which counts.
      part = ''
      octets = 1
    }
    part += character
    octets += size
  }
  return `${[...folded, part].join('\r\n ')}\r\n`
}
