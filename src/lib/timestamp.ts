/** A time as the API returns it: ISO 8601 in UTC with milliseconds. */
export function isoTimestamp(ms: number): string {
  return new Date(ms).toISOString()
}

const utcDay = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' })
const utcTime = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

/** For texts without a reader's time zone, such as Jan 31, 2027. */
export function utcDateText(ms: number): string {
  return utcDay.format(ms)
}

/** Such as Jan 31, 2027, 2:02 PM UTC. Intl puts a narrow no-break space before PM, which some chat programs cannot show. */
export function utcTimeText(ms: number): string {
  return `${utcTime.format(ms).replaceAll('\u202f', ' ')} UTC`
}
