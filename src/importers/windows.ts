import { isoTimestamp } from '../lib/timestamp.ts'

/** When a window with a time of day begins that has no date: a Monday. A fixed date, so that a second import changes nothing. */
const FIRST_DAY = '2024-01-01'

interface LocalWindow {
  /** `2026-12-05`; absent: a fixed date in the past. */
  readonly date?: string
  /** `23:00` */
  readonly time: string
  readonly durationMinutes: number
  /** An IANA name. */
  readonly timezone: string
}

/** Start and end of a window whose time is that of a wall clock. */
export function localWindow({ date = FIRST_DAY, time, durationMinutes, timezone }: LocalWindow) {
  const start = Temporal.PlainDateTime.from(`${date}T${time}`).toZonedDateTime(timezone)
  const end = start.add({ minutes: durationMinutes })
  return { startsAt: isoTimestamp(start.epochMilliseconds), endsAt: isoTimestamp(end.epochMilliseconds), timezone }
}
