import type { Occurrence, WindowTiming } from '../../../src/monitoring/maintenance-coverage/types.ts'

/**
 * A second, simple implementation of occurrences: tries every day from the start and reads wall clocks from Intl hour by hour. It
 * shares no code with the implementation under test.
 */
const HOUR = 3_600_000
const DAY = 24 * HOUR

const formatters = new Map<string, Intl.DateTimeFormat>()

/** What the wall clock shows, as if it were UTC. */
function wallAt(at: number, timeZone: string): number {
  let format = formatters.get(timeZone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-GB', {
      timeZone,
      calendar: 'iso8601',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    formatters.set(timeZone, format)
  }
  const second = Math.floor(at / 1000) * 1000
  const parts = new Map(format.formatToParts(second).map(({ type, value }) => [type, Number(value)]))
  const [year = 0, month = 1, day, hour, minute, s] = ['year', 'month', 'day', 'hour', 'minute', 'second'].map((name) =>
    parts.get(name as Intl.DateTimeFormatPartTypes),
  )
  return Date.UTC(year, month - 1, day, hour, minute, s) + (at - second)
}

/** The moment at which a wall clock first shows this; if it never does, what it would be with the clock not yet put. */
function momentFor(wall: number, timeZone: string): number {
  const [early, late] = [wall - 36 * HOUR, wall + 36 * HOUR].map((at) => wallAt(at, timeZone) - at)
  // Nowhere is a clock put and put back within three days.
  if (early === late) return wall - (early as number)
  let before = Number.NaN
  for (let at = wall - 36 * HOUR; at <= wall + 36 * HOUR; at += HOUR / 2) {
    const offset = wallAt(at, timeZone) - at
    const candidate = wall - offset
    if (wallAt(candidate, timeZone) === wall) return earliestAlike(candidate, wall, timeZone)
    // The last offset from before the clock had passed what it was to show.
    if (wallAt(at, timeZone) < wall) before = offset
  }
  return wall - before
}

/** Where the clock shows a time twice there is another moment up to a day before. */
function earliestAlike(at: number, wall: number, timeZone: string): number {
  let earliest = at
  for (let back = HOUR / 2; back <= 25 * HOUR; back += HOUR / 2) {
    if (wallAt(at - back, timeZone) === wall) earliest = at - back
  }
  return earliest
}

/** Whether a date is one of the window's, by what its rule says in words; so many Mondays have been since the first. */
function isOnDate(timing: WindowTiming, first: number, day: number, mondays: number): boolean {
  const { recurrence, recurrenceInterval: interval } = timing
  const [a, b] = [new Date(first), new Date(day)]
  const weekday = b.getUTCDay() === 0 ? 7 : b.getUTCDay()
  if (recurrence === 'NONE') return day === first
  if (recurrence === 'DAILY') return Math.round((day - first) / DAY) % interval === 0
  if (recurrence === 'WEEKLY') {
    const days = timing.daysOfWeek.length > 0 ? timing.daysOfWeek : [a.getUTCDay() === 0 ? 7 : a.getUTCDay()]
    return days.includes(weekday) && mondays % interval === 0
  }
  const months = (b.getUTCFullYear() - a.getUTCFullYear()) * 12 + b.getUTCMonth() - a.getUTCMonth()
  const days = timing.daysOfMonth.length > 0 ? timing.daysOfMonth : [a.getUTCDate()]
  const isLast = new Date(day + DAY).getUTCDate() === 1
  return months % interval === 0 && (days.includes(b.getUTCDate()) || (days.includes(-1) && isLast))
}

/** Every occurrence that begins before a moment, in order. Of days before `notable` no moments are worked out. */
export function occurrencesUntil(timing: WindowTiming, until: number, notable = timing.startsAt): Occurrence[] {
  const { startsAt, endsAt, timezone, recurrenceEndsAt, recurrence } = timing
  const length = endsAt - startsAt
  if (recurrence === 'NONE') return startsAt < until ? [{ startsAt, endsAt }] : []
  const wall = wallAt(startsAt, timezone)
  const first = Math.floor(wall / DAY) * DAY
  const starts = new Set<number>()
  let mondays = 0
  for (let day = first; day <= until + 2 * DAY; day += DAY) {
    if (day > first && new Date(day).getUTCDay() === 1) mondays += 1
    if (day < notable - 3 * DAY || !isOnDate(timing, first, day, mondays)) continue
    const start = day === first ? startsAt : momentFor(day + (wall - first), timezone)
    if (start < until && start <= (recurrenceEndsAt ?? start)) starts.add(start)
  }
  return [...starts].sort((a, b) => a - b).map((start) => ({ startsAt: start, endsAt: start + length }))
}
