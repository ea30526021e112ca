/** The date formats of registries. To support another one, add a row to FORMS. */

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

const MONTH = '(?<monthName>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\\.?'
const YEAR = '(?<year>\\d{4})(?!\\d)'
const SHORT_YEAR = '(?<shortYear>\\d{2})(?!\\d)'
const DAY = '(?<day>\\d{1,2})(?!\\d)(?:st|nd|rd|th)?'
const CLOCK = '(?<hour>\\d{1,2}):(?<minute>\\d{2})(?::(?<second>\\d{2})(?:[.,]\\d{1,9})?)?(?: ?(?<half>[ap])m)?'
// Zone names are not standardised, so they are read as UTC, which is at most half a day off.
const ZONE = '(?: ?\\(?(?:z|utc|gmt)? ?(?<zone>[+-]\\d{1,2}(?::?\\d{2})?)(?!\\d))?'
const TIME = `(?:(?:t| {1,3}|, ?)${CLOCK}${ZONE})?`
const WEEKDAY = '(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6},? {1,3})?'

const FORMS: readonly RegExp[] = [
  // 2027-01-05, 2027/1/5, 2027.01.05, 2027. 01. 05., each with a time or without
  `(?<year>\\d{4})(?:-|/|\\. ?)(?<month>\\d{1,2})(?:-|/|\\. ?)${DAY}\\.?${TIME}`,
  // 20270105, 20270105235959
  '(?<year>\\d{4})(?<month>\\d{2})(?<day>\\d{2})(?:(?<hour>\\d{2})(?<minute>\\d{2})(?<second>\\d{2}))?(?!\\d)',
  // 05-Jan-2027, 5 January 2027, Monday 5th January 2027
  `${WEEKDAY}${DAY}[-. ]${MONTH}[-. ]${YEAR}${TIME}`,
  // 05-Jan-27
  `${DAY}-${MONTH}-${SHORT_YEAR}`,
  // 2027-Jan-05
  `(?<year>\\d{4})[-. ]${MONTH}[-. ]${DAY}\\.?${TIME}`,
  // January 5 2027, Tue, Jan 05, 2027
  `${WEEKDAY}${MONTH} {1,3}${DAY},? {1,3}${YEAR}${TIME}`,
  // Tue Jan 05 23:59:59 GMT 2027
  `${WEEKDAY}${MONTH} {1,3}${DAY} ${CLOCK}(?: [a-z]{2,5}(?:[+-]\\d{1,2}:?\\d{2})?)? ${YEAR}`,
  // 05/01/2027, 5.1.2027, 05-01-2027
  `(?<first>\\d{1,2})[-/.](?<other>\\d{1,2})[-/.]${YEAR}${TIME}`,
].map((form) => new RegExp(`^${form}`, 'i'))

/** A match outside these years is not a date. */
const EARLIEST_YEAR = 1985
const LATEST_YEAR = 2200

/**
 * Parses the date at the start of a text to milliseconds, or null. A date without a time is midnight UTC. Where both numbers
 * could be the month, the first is the day: all registries write it so, and only some registrars do not.
 */
export function parseDate(text: string): number | null {
  const start = text.trimStart()
  for (const form of FORMS) {
    const parts = form.exec(start)?.groups
    if (parts !== undefined) return timestampOf(parts)
  }
  return null
}

function timestampOf(parts: Readonly<Record<string, string | undefined>>): number | null {
  const { hour = '0', minute = '0', second = '0', half, zone } = parts
  const year = Number(parts.year ?? `20${parts.shortYear}`)
  const { month, day } = dayOf(parts)
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
  if (year < EARLIEST_YEAR || year > LATEST_YEAR || hours > 24 || Number(minute) > 59 || Number(second) > 60)
    return null
  const midnight = Date.UTC(year, month - 1, day)
  const date = new Date(midnight)
  // Date.UTC rolls the 31st of February over into March.
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null
  return midnight + ((hours * 60 + Number(minute)) * 60 + Number(second)) * 1000 - offsetOf(zone)
}

function dayOf({ first, other, month, monthName, day }: Readonly<Record<string, string | undefined>>) {
  if (first !== undefined) {
    const isMonthFirst = Number(other) > 12
    return isMonthFirst ? { month: Number(first), day: Number(other) } : { month: Number(other), day: Number(first) }
  }
  const number = monthName === undefined ? Number(month) : MONTHS.indexOf(monthName.toLowerCase()) + 1
  return { month: number, day: Number(day) }
}

function offsetOf(zone: string | undefined): number {
  const [, sign, hours = 0, minutes = 0] = /^([+-])(\d{1,2}):?(\d{2})?$/.exec(zone ?? '') ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}
