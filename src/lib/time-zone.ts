/** The IANA time zone of this name, as it is written; undefined where there is none. An offset is no zone. */
export function parseTimeZone(name: string): string | undefined {
  if (!/^[A-Za-z]/.test(name)) return undefined
  try {
    const { timeZoneId } = new Temporal.ZonedDateTime(0n, name)
    // What cannot be written down in a zone is of no use there.
    new Intl.DateTimeFormat('en', { timeZone: timeZoneId })
    return timeZoneId
  } catch {
    return undefined
  }
}
