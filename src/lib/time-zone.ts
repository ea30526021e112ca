/** Of a field with another text. */
export const TIME_ZONE_FAULT = 'must be an IANA time zone, such as Europe/Berlin'

/** The canonical name of an IANA time zone; undefined if it is unknown or an offset such as +02:00. */
export function parseTimeZone(name: string): string | undefined {
  if (!/^[A-Za-z]/.test(name)) return undefined
  try {
    const { timeZoneId } = new Temporal.ZonedDateTime(0n, name)
    // Throws for zones that Temporal knows but Intl cannot format.
    new Intl.DateTimeFormat('en', { timeZone: timeZoneId })
    return timeZoneId
  } catch {
    return undefined
  }
}
