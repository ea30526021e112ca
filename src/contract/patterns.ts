import type { JsonSchema } from '../lib/json-schema.ts'
import { parseTimestamp } from '../lib/timestamp.ts'

export const patterns = {
  timestamp: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?(Z|[+-]\\d{2}:\\d{2})$',
  timezone: '^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$',
  httpUrl: '^[Hh][Tt][Tt][Pp][Ss]?://[^/\\\\\\s]\\S*$',
} as const

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
