import { duration, listOf, longDayIn, timeOfDayIn } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { timeRangeIn, wallClockOf } from '../../lib/time-zones.ts'
import { dayOfMonth, type Timing, weekdayOf } from './occurrences.ts'

const DAY_MS = 86_400_000

export const weekdays = [
  t('Monday'),
  t('Tuesday'),
  t('Wednesday'),
  t('Thursday'),
  t('Friday'),
  t('Saturday'),
  t('Sunday'),
] as const

const ordinals = new Intl.PluralRules('en', { type: 'ordinal' })

function ordinal(day: number): string {
  const rule = ordinals.select(day)
  if (rule === 'one') return t('{day}st', { day })
  if (rule === 'two') return t('{day}nd', { day })
  return rule === 'few' ? t('{day}rd', { day }) : t('{day}th', { day })
}

/** "Every 2 weeks on Tuesday and Sunday, 02:00 to 04:00, Europe/Berlin time, until 1 March 2027." */
export function describeRecurrence(timing: Timing): string {
  const { startsAt, endsAt, timezone, recurrence, recurrenceEndsAt } = timing
  const length = (endsAt - startsAt) / 1000
  if (recurrence === 'NONE') {
    return t('Once: {startsAt}, {timezone} time ({length}).', {
      startsAt: timeRangeIn(startsAt, endsAt, timezone),
      timezone: timezone.replaceAll('_', ' '),
      length: duration(length),
    })
  }
  const until =
    recurrenceEndsAt === null
      ? ''
      : t(', until {recurrenceEndsAt}', { recurrenceEndsAt: longDayIn(recurrenceEndsAt, timezone) })
  const hours = t('{startsAt} to {endsAt}', {
    startsAt: timeOfDayIn(startsAt, timezone),
    endsAt: timeOfDayIn(endsAt, timezone),
  })
  return t('{timing}, {hours}, {timezone} time ({length}){until}.', {
    timing: describeTiming(timing),
    hours,
    timezone: timezone.replaceAll('_', ' '),
    length: duration(length),
    until,
  })
}

function describeTiming(timing: Timing): string {
  const { recurrence, recurrenceInterval: every, startsAt, timezone } = timing
  const day = Math.floor(wallClockOf(startsAt, timezone) / DAY_MS)
  if (recurrence === 'DAILY') return every === 1 ? t('Every day') : t('Every {every} days', { every })
  if (recurrence === 'WEEKLY') {
    const days = timing.daysOfWeek.length > 0 ? [...timing.daysOfWeek].sort() : [weekdayOf(day)]
    const names = listOf(days.map((one) => weekdays[one - 1] as string))
    return every === 1 ? t('Every {names}', { names }) : t('Every {every} weeks on {names}', { every, names })
  }
  const days = timing.daysOfMonth.length > 0 ? timing.daysOfMonth : [dayOfMonth(day)]
  const sorted = [...days].sort((a, b) => (a === -1 ? 32 : a) - (b === -1 ? 32 : b))
  const names = listOf(sorted.map((one) => (one === -1 ? t('last day') : ordinal(one))))
  return t('On the {names} of {value}', {
    names,
    value: every === 1 ? t('every month') : t('every {every} months', { every }),
  })
}
