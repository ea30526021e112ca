import { t } from './i18n.ts'
import { language, locale } from './language.ts'

/** The one place that formats times, durations, numbers and shares, in the reader's format. No screen has formats of its own. */

export const localZone = new Intl.DateTimeFormat().resolvedOptions().timeZone

const day = { month: 'short', day: 'numeric' } as const
const clock = { hour: 'numeric', minute: '2-digit' } as const

function formatter(options: Intl.DateTimeFormatOptions): (at: string | Date) => string {
  const format = new Intl.DateTimeFormat(locale, options)
  return (at) => format.format(new Date(at))
}

/** "15 Nov 2026, 14:02:11 CET" */
export const exactTime = formatter({ year: 'numeric', ...day, ...clock, second: '2-digit', timeZoneName: 'short' })
/** "15 Nov, 14:02 CET" */
export const shortTime = formatter({ ...day, ...clock, timeZoneName: 'short' })
/** "15 Nov, 14:02" for a table, which names its zone elsewhere. */
export const dayAndTime = formatter({ ...day, ...clock })
/** "15 Nov 2026" */
export const dayOf = formatter({ year: 'numeric', ...day })
/** "14:02 CET" */
export const timeOfDay = formatter({ ...clock, timeZoneName: 'short' })
/** "14:02" for the axis of a chart, which names its zone elsewhere. */
export const axisTime = formatter(clock)
/** "Nov 15" for the axis of a chart. */
export const axisDate = formatter(day)

/** "Sun, Nov 15, 02:00" on the wall clock of a zone. The caller prints the zone. */
export function timeIn(at: number, zone: string): string {
  return new Intl.DateTimeFormat(locale, { timeZone: zone, weekday: 'short', ...day, ...clock }).format(at)
}

/** "02:00" on the wall clock of a zone. */
export function timeOfDayIn(at: number, zone: string): string {
  return new Intl.DateTimeFormat(locale, { timeZone: zone, ...clock }).format(at)
}

/** "October 2026" of "2026-10". */
export function longMonth(month: string): string {
  return new Intl.DateTimeFormat(locale, { timeZone: 'UTC', year: 'numeric', month: 'long' }).format(Date.parse(month))
}

/** "March 1, 2027" in a zone. */
export function longDayIn(at: number, zone: string): string {
  return new Intl.DateTimeFormat(locale, { timeZone: zone, dateStyle: 'long' }).format(at)
}

/** "Mon" or "Mon, Nov 16"; days are UTC milliseconds. */
export function weekdayLabel(at: number, withDate: boolean): string {
  return new Intl.DateTimeFormat(locale, { timeZone: 'UTC', weekday: 'short', ...(withDate && day) }).format(at)
}

const steps: readonly (readonly [seconds: number, unit: string])[] = [
  [86_400, t('d')],
  [3_600, t('h')],
  [60, t('min')],
  [1, t('s')],
]

/** "3 d 4 h", "14 min", "9 s": one or two units. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  const first = steps.findIndex(([size]) => whole >= size)
  if (first === -1) return `0 ${t('s')}`
  const [size, unit] = steps[first] as readonly [number, string]
  const count = Math.floor(whole / size)
  const next = steps[first + 1]
  const rest = next === undefined ? 0 : Math.floor((whole % size) / next[0])
  return rest === 0 || next === undefined || count >= 10 ? `${count} ${unit}` : `${count} ${unit} ${rest} ${next[1]}`
}

/** "minute" of 1, "minutes" of 5. */
export function unitWord(unit: 'second' | 'minute' | 'hour' | 'day', count: number): string {
  const parts = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).formatToParts(count)
  return parts.find(({ type }) => type === 'unit')?.value.trim() ?? unit
}

/** After "every": "day", "minute", "5 min". */
export function interval(seconds: number): string {
  return { 60: t('minute'), 3600: t('hour'), 86400: t('day'), 604800: t('week') }[seconds] ?? duration(seconds)
}

const MOST_RELATIVE_SECONDS = 30 * 86_400

/** "14 min ago", "in 3 d", "just now"; the date of what is more than 30 days away. */
export function relativeTime(at: string | Date, now: number = Date.now()): string {
  const seconds = (now - new Date(at).getTime()) / 1000
  if (Math.abs(seconds) < 5) return t('just now')
  if (Math.abs(seconds) > MOST_RELATIVE_SECONDS) return dayOf(at)
  return seconds > 0
    ? t('{seconds} ago', { seconds: duration(seconds) })
    : t('in {duration}', { duration: duration(roundedUp(-seconds)) })
}

/** What expires in 30 days still does so a second later. */
function roundedUp(seconds: number): number {
  const size = seconds > 86_400 ? 3_600 : seconds > 3_600 ? 60 : 1
  return Math.ceil(seconds / size) * size
}

/** "14 min ago" for something that has happened. Clocks differ, so a time in the future is "just now". */
export function timeAgo(at: string | Date, now: number = Date.now()): string {
  return relativeTime(at, Math.max(now, new Date(at).getTime()))
}

const wholeNumbers = new Intl.NumberFormat(locale)
const twoDigits = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 })
const percents = [0, 2].map(
  (digits) => new Intl.NumberFormat(locale, { style: 'percent', minimumFractionDigits: digits }),
)

/** "2,200" */
export function number(value: number): string {
  return wholeNumbers.format(value)
}

/** "412 ms", "1.25 s" */
export function milliseconds(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return '–'
  if (ms < 1) return '<1 ms'
  return ms < 1000 ? t('{ms} ms', { ms: Math.round(ms) }) : `${twoDigits.format(ms / 1000)} ${t('s')}`
}

/** "99.98%": rounded down, so that 100% means no downtime. */
export function percent(share: number | null | undefined): string {
  if (share === null || share === undefined) return '–'
  const cut = Math.floor(share * 10_000) / 10_000
  return (percents[cut === 1 ? 0 : 1] as Intl.NumberFormat).format(cut)
}

const lists = new Intl.ListFormat(locale, { type: 'conjunction' })

/** "Checkout and API" */
export function listOf(names: readonly string[]): string {
  return lists.format(names)
}

const separator = language === 'ja' || language === 'zh' ? '、' : ', '

/** "Checkout, API": facts beside each other, without "and". */
export function separated(items: readonly string[]): string {
  return items.join(separator)
}
