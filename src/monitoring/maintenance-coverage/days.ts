import { DAY_MS } from '../../lib/clock.ts'
import type { WindowTiming } from './types.ts'

/** Calendar days counted from 1970-01-01, independent of time zones. */
export function dayNumber(year: number, month: number, day: number): number {
  // Not Date.UTC, which reads the year 26 as 1926.
  return new Date(0).setUTCFullYear(year, month - 1, day) / DAY_MS
}

/** 9999-12-31: the timestamps of the API have four-digit years. */
export const LAST_DAY = dayNumber(9999, 12, 31)

/** 1 is Monday, 7 is Sunday. */
function weekdayOf(day: number): number {
  return modulo(day + 3, 7) + 1
}

function dayOfMonth(day: number): number {
  return new Date(day * DAY_MS).getUTCDate()
}

/** The Gregorian calendar repeats after 400 years; a day that has not occurred by then never does. */
const CALENDAR_MONTHS = 4_800

/** The days of a recurrence from `from` on, in order, without end; `first` is the day of the first start. */
export function* daysFrom(timing: WindowTiming, first: number, from: number): Generator<number> {
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
  for (let day = first + floorToMultiple(earliest - first, interval); day <= LAST_DAY; day += interval) {
    if (day >= earliest) yield day
  }
}

function* everyFewWeeks(timing: WindowTiming, first: number, earliest: number): Generator<number> {
  const weekdays = sortedUnique(weekdaysOf(timing, first))
  const firstMonday = first - weekdayOf(first) + 1
  const weeks = floorToMultiple(Math.floor((earliest - firstMonday) / 7), timing.recurrenceInterval)
  for (let monday = firstMonday + weeks * 7; monday <= LAST_DAY; monday += timing.recurrenceInterval * 7) {
    for (const weekday of weekdays) {
      const day = monday + weekday - 1
      if (day >= earliest && day <= LAST_DAY) yield day
    }
  }
}

function* everyFewMonths(timing: WindowTiming, first: number, earliest: number): Generator<number> {
  const { recurrenceInterval: interval } = timing
  const wanted = monthDaysOf(timing, first)
  const firstMonth = monthOf(first)
  let found = firstMonth + floorToMultiple(monthOf(earliest) - firstMonth, interval)
  for (let month = found; month - found <= CALENDAR_MONTHS; month += interval) {
    const start = dayNumber(Math.floor(month / 12), modulo(month, 12) + 1, 1)
    if (start > LAST_DAY) return
    const length = dayNumber(Math.floor((month + 1) / 12), modulo(month + 1, 12) + 1, 1) - start
    const there = sortedUnique(wanted.map((day) => (day === -1 ? length : day)).filter((day) => day <= length))
    for (const day of there) if (start + day - 1 >= earliest) yield start + day - 1
    if (there.length > 0) found = month
  }
}

/** The days of the week that a WEEKLY window takes place on. */
export function weekdaysOf({ daysOfWeek }: WindowTiming, first: number): readonly number[] {
  return daysOfWeek.length > 0 ? daysOfWeek : [weekdayOf(first)]
}

/** The days of the month that a MONTHLY window takes place on. */
export function monthDaysOf({ daysOfMonth }: WindowTiming, first: number): readonly number[] {
  return daysOfMonth.length > 0 ? daysOfMonth : [dayOfMonth(first)]
}

/** Months since the year 0. */
function monthOf(day: number): number {
  const date = new Date(day * DAY_MS)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}

function sortedUnique(numbers: readonly number[]): number[] {
  return [...new Set(numbers)].sort((a, b) => a - b)
}

function floorToMultiple(count: number, interval: number): number {
  return Math.floor(count / interval) * interval
}

function modulo(of: number, by: number): number {
  return ((of % by) + by) % by
}
