import { stripControls } from '../markup/html.ts'

/** Text as the value of a property (RFC 5545, 3.3.11). */
export function icalText(text: string): string {
  return stripControls(text.toWellFormed().replace(/\r\n?/g, '\n'))
    .replace(/[\\;,]/g, '\\$&')
    .replaceAll('\n', '\\n')
}

const MAX_OCTETS = 75

/** A line as it is sent: folded so that none is longer than 75 octets, and no character is broken. */
export function line(content: string): string {
  const folded: string[] = []
  let part = ''
  let octets = 0
  for (const character of content) {
    const size = Buffer.byteLength(character)
    if (octets + size > MAX_OCTETS) {
      folded.push(part)
      // The space that a further line begins with counts too.
      part = ''
      octets = 1
    }
    part += character
    octets += size
  }
  return `${[...folded, part].join('\r\n ')}\r\n`
}
