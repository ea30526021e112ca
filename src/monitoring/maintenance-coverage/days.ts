import { DAY_MS } from '../../lib/clock.ts'
import type { Timing } from './types.ts'

/**
 * Days are counted from the first of January 1970, whatever the zone: arithmetic on them jumps to any year at once and
 * knows nothing of clocks.
 */
export function dayNumber(year: number, month: number, day: number): number {
  // Date.UTC would take the year 26 for 1926.
  return new Date(0).setUTCFullYear(year, month - 1, day) / DAY_MS
}

/** The last day of the year 9999: no moment after it can be written as the API writes moments. */
export const LAST_DAY = dayNumber(9999, 12, 31)

/** 1 is Monday, 7 is Sunday. */
export function weekdayOf(day: number): number {
  return remainder(day + 3, 7) + 1
}

export function dayOfMonth(day: number): number {
  return new Date(day * DAY_MS).getUTCDate()
}

/** The calendar repeats itself after so many months: a day that has not come by then never comes. */
const CALENDAR_MONTHS = 4_800

/** The days of a recurrence from `from` on, in order, for ever; `first` is the day of the start. */
export function* daysFrom(timing: Timing, first: number, from: number): Generator<number> {
  const earliest = Math.max(first, from)
  switch (timing.recurrence) {
    case 'NONE':
      if (earliest === first) yield first
      break
    case 'DAILY':
      yield* everyFewDays(timing.recurrenceInterval, first, earliest)
      break
    case 'WEEKLY':
      yield* everyFewWeeks(timing, first, earliest)
      break
    case 'MONTHLY':
      yield* everyFewMonths(timing, first, earliest)
  }
}

function* everyFewDays(interval: number, first: number, earliest: number): Generator<number> {
  for (let day = first + aligned(earliest - first, interval); day <= LAST_DAY; day += interval) {
    if (day >= earliest) yield day
  }
}

function* everyFewWeeks(timing: Timing, first: number, earliest: number): Generator<number> {
  const weekdays = inOrder(weekdaysOf(timing, first))
  const firstMonday = first - weekdayOf(first) + 1
  const weeks = aligned(Math.floor((earliest - firstMonday) / 7), timing.recurrenceInterval)
  for (let monday = firstMonday + weeks * 7; monday <= LAST_DAY; monday += timing.recurrenceInterval * 7) {
    for (const weekday of weekdays) {
      const day = monday + weekday - 1
      if (day >= earliest && day <= LAST_DAY) yield day
    }
  }
}

function* everyFewMonths(timing: Timing, first: number, earliest: number): Generator<number> {
  const { recurrenceInterval: interval } = timing
  const wanted = monthDaysOf(timing, first)
  const firstMonth = monthOf(first)
  let found = firstMonth + aligned(monthOf(earliest) - firstMonth, interval)
  for (let month = found; month - found <= CALENDAR_MONTHS; month += interval) {
    const start = dayNumber(Math.floor(month / 12), remainder(month, 12) + 1, 1)
    if (start > LAST_DAY) return
    const length = dayNumber(Math.floor((month + 1) / 12), remainder(month + 1, 12) + 1, 1) - start
    const there = inOrder(wanted.map((day) => (day === -1 ? length : day)).filter((day) => day <= length))
    for (const day of there) if (start + day - 1 >= earliest) yield start + day - 1
    if (there.length > 0) found = month
  }
}

/** The days of the week that a WEEKLY window takes place on. */
export function weekdaysOf({ daysOfWeek }: Timing, first: number): readonly number[] {
  return daysOfWeek.length > 0 ? daysOfWeek : [weekdayOf(first)]
}

/** The days of the month that a MONTHLY window takes place on. */
export function monthDaysOf({ daysOfMonth }: Timing, first: number): readonly number[] {
  return daysOfMonth.length > 0 ? daysOfMonth : [dayOfMonth(first)]
}

/** Months since the year 0. */
function monthOf(day: number): number {
  const date = new Date(day * DAY_MS)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}

function inOrder(numbers: readonly number[]): number[] {
  return [...new Set(numbers)].sort((a, b) => a - b)
}

/** The greatest multiple of the interval that is not above the count. */
function aligned(count: number, interval: number): number {
  return Math.floor(count / interval) * interval
}

function remainder(of: number, by: number): number {
  return ((of % by) + by) % by
}
