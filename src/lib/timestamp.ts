/** A time as the API returns it: ISO 8601 in UTC with milliseconds. */
export function isoTimestamp(ms: number): string {
  return new Date(ms).toISOString()
}
