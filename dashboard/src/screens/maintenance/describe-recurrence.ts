import { duration, longDayIn, timeOfDayIn } from '../../lib/format.ts'
import { timeRangeIn, wallClockOf } from '../../lib/time-zones.ts'
import { dayOfMonth, type Timing, weekdayOf } from './occurrences.ts'

const DAY_MS = 86_400_000

export const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const

const ordinals = new Intl.PluralRules('en', { type: 'ordinal' })
const endings: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd', other: 'th' }

function ordinal(number: number): string {
  return `${number}${endings[ordinals.select(number)]}`
}

const list = new Intl.ListFormat('en', { type: 'conjunction' })

/** "Every 2 weeks on Tuesday and Sunday, 02:00 to 04:00, Europe/Berlin time, until 1 March 2027." */
export function describeRecurrence(timing: Timing): string {
  const { startsAt, endsAt, timezone, recurrence, recurrenceEndsAt } = timing
  const length = (endsAt - startsAt) / 1000
  if (recurrence === 'NONE') {
    return `Once: ${timeRangeIn(startsAt, endsAt, timezone)}, ${timezone} time (${duration(length)}).`
  }
  const until = recurrenceEndsAt === null ? '' : `, until ${longDayIn(recurrenceEndsAt, timezone)}`
  const hours = `${timeOfDayIn(startsAt, timezone)} to ${timeOfDayIn(endsAt, timezone)}`
  return `${rhythm(timing)}, ${hours}, ${timezone} time (${duration(length)})${until}.`
}

function rhythm(timing: Timing): string {
  const { recurrence, recurrenceInterval: every, startsAt, timezone } = timing
  const day = Math.floor(wallClockOf(startsAt, timezone) / DAY_MS)
  if (recurrence === 'DAILY') return every === 1 ? 'Every day' : `Every ${every} days`
  if (recurrence === 'WEEKLY') {
    const days = timing.daysOfWeek.length > 0 ? [...timing.daysOfWeek].sort() : [weekdayOf(day)]
    const names = list.format(days.map((one) => weekdays[one - 1] as string))
    return every === 1 ? `Every ${names}` : `Every ${every} weeks on ${names}`
  }
  const days = timing.daysOfMonth.length > 0 ? timing.daysOfMonth : [dayOfMonth(day)]
  const sorted = [...days].sort((a, b) => (a === -1 ? 32 : a) - (b === -1 ? 32 : b))
  const names = list.format(sorted.map((one) => (one === -1 ? 'last day' : ordinal(one))))
  return `On the ${names} of ${every === 1 ? 'every month' : `every ${every} months`}`
}
