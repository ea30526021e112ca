import { timeAtWallClock, wallClockOf } from '../../lib/time-zones.ts'

/** Occurrences of a window, by the same rules as the server, for unsaved forms and the week view. */
export interface Timing {
  readonly startsAt: number
  readonly endsAt: number
  readonly timezone: string
  readonly recurrence: 'NONE' | 'DAILY' | 'WEEKLY' | 'MONTHLY'
  readonly recurrenceInterval: number
  readonly daysOfWeek: readonly number[]
  readonly daysOfMonth: readonly number[]
  readonly recurrenceEndsAt: number | null
}

export interface Occurrence {
  readonly startsAt: number
  readonly endsAt: number
}

const DAY_MS = 86_400_000
/** Limit of the search for upcoming occurrences. */
const FURTHEST_DAYS = 12 * 366
/** Zones differ by up to a day, and a clock gap can be a day long. */
const SLACK_DAYS = 3

/** 1 is Monday, 7 is Sunday; days are counted from the first of January 1970. */
export function weekdayOf(day: number): number {
  return ((((day + 3) % 7) + 7) % 7) + 1
}

export function dayOfMonth(day: number): number {
  return new Date(day * DAY_MS).getUTCDate()
}

function monthOf(day: number): number {
  const date = new Date(day * DAY_MS)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}

function takesPlaceOn(timing: Timing, first: number, day: number): boolean {
  const { recurrence, recurrenceInterval: every, daysOfWeek, daysOfMonth } = timing
  if (recurrence === 'NONE') return day === first
  if (recurrence === 'DAILY') return (day - first) % every === 0
  if (recurrence === 'WEEKLY') {
    const firstMonday = first - weekdayOf(first) + 1
    const isWeek = Math.floor((day - firstMonday) / 7) % every === 0
    return isWeek && (daysOfWeek.length > 0 ? daysOfWeek : [weekdayOf(first)]).includes(weekdayOf(day))
  }
  if ((monthOf(day) - monthOf(first)) % every !== 0) return false
  const isLast = monthOf(day + 1) !== monthOf(day)
  const wanted = daysOfMonth.length > 0 ? daysOfMonth : [dayOfMonth(first)]
  return wanted.includes(dayOfMonth(day)) || (isLast && wanted.includes(-1))
}

/** Occurrences that end after `from` and start before `to`, in order, at most `limit`. */
export function occurrencesWithin(timing: Timing, from: number, to: number, limit: number): readonly Occurrence[] {
  const { startsAt, endsAt, timezone, recurrence, recurrenceEndsAt } = timing
  const length = endsAt - startsAt
  if (recurrence === 'NONE') return endsAt > from && startsAt < to ? [{ startsAt, endsAt }] : []
  const wall = wallClockOf(startsAt, timezone)
  const first = Math.floor(wall / DAY_MS)
  const found: Occurrence[] = []
  const begin = Math.max(first, Math.floor((from - length) / DAY_MS) - SLACK_DAYS)
  for (let day = begin; day <= begin + FURTHEST_DAYS && found.length < limit; day += 1) {
    if (!takesPlaceOn(timing, first, day)) continue
    // The start is an exact instant, so it may be the second of two equal wall-clock times.
    const start = day === first ? startsAt : timeAtWallClock(day * DAY_MS + (wall - first * DAY_MS), timezone)
    if (start >= to || (recurrenceEndsAt !== null && start > recurrenceEndsAt)) break
    if (start + length > from) found.push({ startsAt: start, endsAt: start + length })
  }
  return found
}

/** The next occurrences that start after `from`. */
export function nextOccurrences(timing: Timing, after: number, count: number): readonly Occurrence[] {
  return occurrencesWithin(timing, after, Number.POSITIVE_INFINITY, count + 8)
    .filter(({ startsAt }) => startsAt > after)
    .slice(0, count)
}

/** As in the API. */
type StoredTiming = Omit<Timing, 'startsAt' | 'endsAt' | 'recurrenceEndsAt'> & {
  readonly startsAt: string
  readonly endsAt: string
  readonly recurrenceEndsAt: string | null
}

export function timingOf(window: StoredTiming): Timing {
  return {
    ...window,
    startsAt: Date.parse(window.startsAt),
    endsAt: Date.parse(window.endsAt),
    recurrenceEndsAt: window.recurrenceEndsAt === null ? null : Date.parse(window.recurrenceEndsAt),
  }
}
