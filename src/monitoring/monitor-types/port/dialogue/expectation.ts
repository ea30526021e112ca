import { Budget } from '../../assertions/budget.ts'
import { compilePattern } from '../../assertions/pattern.ts'

/** Whether a reply is what a step expects. */
export type Expectation = (reply: Buffer) => boolean

/** The pattern of an expectation; undefined if it is a plain text. */
export function patternIn(expect: string): string | undefined {
  return expect.length > 2 && expect.startsWith('/') && expect.endsWith('/') ? expect.slice(1, -1) : undefined
}

/** A pattern sees one character per byte: replies of many protocols are not text. Throws InvalidExpression. */
export function compileExpectation(expect: string): Expectation {
  const source = patternIn(expect)
  if (source === undefined) return (reply) => reply.includes(expect)
  const pattern = compilePattern(source, 1)
  const budget = new Budget()
  return (reply) => {
    try {
      return pattern.isIn(reply.toString('latin1'), budget)
    } finally {
      budget.end()
    }
  }
}

const MAX_SHOWN_BYTES = 120

/** The start of a reply, for people: bytes that are not printable ASCII are escaped. */
export function shownReply(reply: Buffer): string {
  const shown = Array.from(reply.subarray(0, MAX_SHOWN_BYTES), shownByte).join('')
  return `"${shown}${reply.length > MAX_SHOWN_BYTES ? '…' : ''}"`
}

const names = new Map([
  [0x0a, '\\n'],
  [0x0d, '\\r'],
  [0x09, '\\t'],
])

function shownByte(byte: number): string {
  if (byte >= 0x20 && byte < 0x7f) return String.fromCharCode(byte)
  return names.get(byte) ?? `\\x${byte.toString(16).padStart(2, '0')}`
}
