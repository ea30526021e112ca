import type { JsonSchema } from '../lib/json-schema.ts'
import { parseTimestamp } from '../lib/timestamp.ts'

export const patterns = {
  /** Without the control characters of ASCII and Latin-1, so without line breaks. */
  singleLine: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
  /** RFC 3339 has the second 60. */
  timestamp:
    '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])T([01]\\d|2[0-3]):[0-5]\\d(:([0-5]\\d|60)(\\.\\d{1,9})?)?' +
    '(Z|[+-]([01]\\d|2[0-3]):[0-5]\\d)$',
  timezone: '^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$',
  /** Without a user name and password. */
  webhookUrl: '^[Hh][Tt][Tt][Pp][Ss]?://[^/\\\\\\s@?#]+([/?#\\\\]\\S*)?$',
  httpUrl: '^[Hh][Tt][Tt][Pp][Ss]?://[^/\\\\\\s]\\S*$',
} as const

const singleLine = new RegExp(patterns.singleLine)

/** Whether a text can be a name. */
export function isSingleLine(text: string): boolean {
  return singleLine.test(text)
}

const timestampForm = new RegExp(patterns.timestamp)

/**
 * The milliseconds of a timestamp in a request: with Z or an offset, seconds optional. Undefined if it is malformed or no such
 * time exists.
 */
export function timestampMs(text: string): number | undefined {
  if (!timestampForm.test(text)) return undefined
  try {
    return parseTimestamp(text)
  } catch {
    return undefined
  }
}

/** A date and time. In requests seconds are optional, which `date-time` does not allow, so a pattern describes it. */
export function isTime({ format, pattern }: JsonSchema): boolean {
  return format === 'date-time' || pattern === patterns.timestamp
}
