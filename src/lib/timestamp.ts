/** A time as the API returns it: ISO 8601 in UTC with milliseconds. */
export function isoTimestamp(ms: number): string {
  return new Date(ms).toISOString()
}

/**
 * Parses a timestamp of the API. Date.parse gives NaN for the second 60, which RFC 3339 allows; Temporal reads it as 59. Throws if the
 * text is malformed.
 */
export function parseTimestamp(text: string): number {
  return Temporal.Instant.from(text).epochMilliseconds
}

/** Null where there is no time. */
export function isoTimestampOrNull(ms: number | null | undefined): string | null {
  return ms === null || ms === undefined ? null : isoTimestamp(ms)
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** A date in a text without a reader's time zone: Jan 31, 2027. */
export function utcDateText(ms: number): string {
  const at = new Date(ms)
  return `${MONTHS[at.getUTCMonth()]} ${at.getUTCDate()}, ${at.getUTCFullYear()}`
}

/** A time in a text without a reader's time zone: Jan 31, 2027, 2:02 PM UTC. */
export function utcTimeText(ms: number): string {
  const at = new Date(ms)
  const hours = at.getUTCHours()
  const minutes = String(at.getUTCMinutes()).padStart(2, '0')
  return `${utcDateText(ms)}, ${hours % 12 || 12}:${minutes} ${hours < 12 ? 'AM' : 'PM'} UTC`
}
