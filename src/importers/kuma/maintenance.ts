import { boundedName, boundedText } from '../bounds.ts'
import type { Collection } from '../collection.ts'
import { timeZoneOf } from '../time-zones.ts'
import { localWindow } from '../windows.ts'
import type { Groups } from './groups.ts'
import { MONITOR } from './monitors.ts'
import { PAGE } from './pages.ts'
import { isSet, jsonOf, numberOf, objectWith, type Row, settingOf, type Tables, textOf } from './tables.ts'
import { type Fields, isRefusal, type Refusal } from './web.ts'

const MAX_MONITORS = 500

export function importMaintenance(collection: Collection, tables: Tables, groups: Groups): void {
  collection.readEach(tables.maintenance, objectWith('maintenance', 'title'), (row, object) => {
    const id = Number(object.sourceId)
    const losses: string[] = []
    const fields = fieldsOf(row, tables, losses)
    const covered = coverageOf(id, collection, tables, groups, losses)
    const statusPages = tables.maintenance_status_page
      .filter((link) => numberOf(link, 'maintenance_id') === id)
      .flatMap((link) => collection.keyOf(PAGE, textOf(link, 'status_page_id')) ?? [])
    if (isRefusal(fields)) collection.refuse(object, fields.reason)
    else if (covered.length === 0) collection.refuse(object, 'None of its monitors is imported.')
    else {
      const pages = statusPages.length > 0 && { statusPages: [...new Set(statusPages)] }
      collection.map(object, 'maintenanceWindows', { ...fields, monitors: covered, ...pages }, losses)
    }
  })
}

/** A group stands for its monitors. */
function coverageOf(id: number, collection: Collection, tables: Tables, groups: Groups, losses: string[]): string[] {
  const ids = tables.monitor_maintenance
    .filter((link) => numberOf(link, 'maintenance_id') === id)
    .flatMap((link) => groups.monitorsIn(numberOf(link, 'monitor_id') ?? 0))
  const keyOf = (monitorId: number) => collection.keyOf(MONITOR, String(monitorId))
  const missing = [...new Set(ids)].filter((one) => keyOf(one) === undefined).map(groups.nameOf)
  if (missing.length > 0) losses.push(`Without the monitors that are not imported: ${missing.join(', ')}.`)
  const covered = [...new Set(ids.flatMap((one) => keyOf(one) ?? []))]
  if (covered.length > MAX_MONITORS)
    losses.push(`Only the first ${MAX_MONITORS} of ${covered.length} monitors are covered.`)
  return covered.slice(0, MAX_MONITORS)
}

function fieldsOf(row: Row, tables: Tables, losses: string[]): Fields | Refusal {
  const strategy = textOf(row, 'strategy')
  if (strategy === 'manual') return { reason: 'It is switched on and off by hand, and has no times.' }
  if (!isSet(row, 'active')) return { reason: 'It is switched off in Uptime Kuma.' }
  const zone = textOf(row, 'timezone')
  const isOfServer = zone === '' || zone === 'SAME_AS_SERVER'
  const timezone = timeZoneOf(isOfServer ? String(settingOf(tables, 'serverTimezone') ?? 'UTC') : zone, losses)
  const description = textOf(row, 'description').trim()
  const times = strategy === 'single' ? singleTimes(row, timezone) : recurringTimes(row, strategy, timezone, losses)
  if (isRefusal(times)) return times
  return {
    name: boundedName(textOf(row, 'title'), 'Maintenance', losses),
    ...(description !== '' && { description: boundedText(description, 2000, 'description', losses) }),
    ...times,
  }
}

const localTime = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d)?)/

/** Times are those of a wall clock in the time zone. Undefined if there is none. */
function instantOf(text: string, timezone: string): string | undefined {
  const match = localTime.exec(text)
  if (match === null) return undefined
  const [, date, time = ''] = match
  return localWindow({ date: date as string, time, durationMinutes: 0, timezone }).startsAt
}

function singleTimes(row: Row, timezone: string): Fields | Refusal {
  const startsAt = instantOf(textOf(row, 'start_date'), timezone)
  const endsAt = instantOf(textOf(row, 'end_date'), timezone)
  return startsAt === undefined || endsAt === undefined
    ? { reason: 'It has no start or no end.' }
    : { startsAt, endsAt, timezone }
}

interface Recurrence {
  /** `23:30` */
  readonly time: string
  readonly durationMinutes: number
  readonly fields: Fields
}

function recurringTimes(row: Row, strategy: string, timezone: string, losses: string[]): Fields | Refusal {
  const recurrence = strategy === 'cron' ? cronRecurrence(row) : plainRecurrence(row, strategy, losses)
  if ('reason' in recurrence) return recurrence
  const { time, durationMinutes, fields } = recurrence
  if (!(durationMinutes > 0)) return { reason: 'It has no duration.' }
  const date = localTime.exec(textOf(row, 'start_date'))?.[1]
  const recurrenceEndsAt = instantOf(textOf(row, 'end_date'), timezone)
  return {
    ...localWindow({ ...(date !== undefined && { date }), time, durationMinutes, timezone }),
    ...fields,
    ...(recurrenceEndsAt !== undefined && { recurrenceEndsAt }),
  }
}

const DAY_MINUTES = 1440

function plainRecurrence(row: Row, strategy: string, losses: string[]): Recurrence | Refusal {
  const [time, end] = [textOf(row, 'start_time'), textOf(row, 'end_time')].map((text) => /^\d\d:\d\d/.exec(text)?.[0])
  if (time === undefined || end === undefined) return { reason: 'It has no start time or no end time.' }
  const minutes = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3))
  // An end before the start is on the next day.
  const durationMinutes = (minutes(end) - minutes(time) + DAY_MINUTES) % DAY_MINUTES
  const fields = recurrenceFields(row, strategy, losses)
  return isRefusal(fields) ? fields : { time, durationMinutes, fields }
}

function recurrenceFields(row: Row, strategy: string, losses: string[]): Fields | Refusal {
  switch (strategy) {
    case 'recurring-interval':
      return { recurrence: 'DAILY', recurrenceInterval: numberOf(row, 'interval_day') ?? 1 }
    case 'recurring-weekday': {
      const days = listOf(row, 'weekdays').map((day) => weekday(Number(day)))
      return days.length === 0 ? { reason: 'It has no days.' } : weekly(days)
    }
    case 'recurring-day-of-month': {
      const listed = listOf(row, 'days_of_month')
      const days = listed.map((day) => (day === 'lastDay1' ? -1 : Number(day))).filter(Number.isInteger)
      const lost = listed.filter((day) => /^lastDay[2-9]$/.test(String(day))).map((day) => String(day).slice(-1))
      if (lost.length > 0)
        losses.push(`Days counted from the end of the month are left out, except the last one: ${lost.join(', ')}.`)
      return days.length === 0 ? { reason: 'It has no days that can be expressed.' } : monthly(days)
    }
    default:
      return { reason: `The strategy ${strategy} is not known.` }
  }
}

function listOf(row: Row, column: string): readonly unknown[] {
  const list = jsonOf(row, column)
  return Array.isArray(list) ? list : []
}

/** Kuma and cron count from Sunday, which is 0 or 7. Here Monday is 1 and Sunday is 7. */
function weekday(day: number): number {
  return day === 0 ? 7 : day
}

const sorted = (days: readonly number[]) => [...new Set(days)].sort((a, b) => a - b)
const weekly = (days: readonly number[]) => ({ recurrence: 'WEEKLY', daysOfWeek: sorted(days) })
const monthly = (days: readonly number[]) => ({ recurrence: 'MONTHLY', daysOfMonth: sorted(days) })

const dayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

/** A time of day on all days, days of the week or days of the month. */
function cronRecurrence(row: Row): Recurrence | Refusal {
  const cron = textOf(row, 'cron').trim()
  const durationMinutes = Math.round((numberOf(row, 'duration') ?? 0) / 60)
  const [minute = '', hour = '', day = '', month = '', week = '', ...more] = cron.split(/\s+/)
  const unknown = { reason: `The schedule ${cron} has no equivalent.` }
  if (more.length > 0 || month !== '*' || !/^\d\d?$/.test(minute) || !/^\d\d?$/.test(hour)) return unknown
  const weekdays = numbersIn(
    week.toLowerCase().replace(/[a-z]{3}/g, (name) => String(dayNames.indexOf(name))),
    0,
    7,
  )
  const days = numbersIn(day.replaceAll('L', '-1'), 1, 31)
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`
  const recurrence = (fields: Fields) => ({ time, durationMinutes, fields })
  if (day === '*' && week === '*') return recurrence({ recurrence: 'DAILY' })
  if (day === '*' && weekdays !== undefined) return recurrence(weekly(weekdays.map(weekday)))
  if (week === '*' && days !== undefined) return recurrence(monthly(days))
  return unknown
}

/** The numbers of `1,3-5`; undefined if it is something else. `-1` stands for itself. */
function numbersIn(list: string, minimum: number, maximum: number): readonly number[] | undefined {
  const numbers = list.split(',').flatMap((part) => {
    if (part === '-1') return [-1]
    const [, from, to = from] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? []
    const [first, last] = [Number(from), Number(to)]
    if (!(first >= minimum && last <= maximum && first <= last)) return [Number.NaN]
    return Array.from({ length: last - first + 1 }, (_, i) => first + i)
  })
  return numbers.some(Number.isNaN) ? undefined : numbers
}
