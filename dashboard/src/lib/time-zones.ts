/** Wall-clock times in other zones, using Intl. A wall-clock time is the UTC milliseconds that would show the same. */

import { timeIn, timeOfDayIn } from './format.ts'
import { t } from './i18n.ts'

const DAY_MS = 86_400_000
const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
  formats.set(zone, format)
  return format
}

function isZone(zone: string): boolean {
  try {
    formatOf(zone)
    return true
  } catch {
    return false
  }
}

export function wallClockOf(at: number, zone: string): number {
  const parts: Record<string, number> = {}
  for (const { type, value } of formatOf(zone).formatToParts(at)) parts[type] = Number(value)
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  return Date.UTC(year, month - 1, day, hour, minute, second) + (((at % 1000) + 1000) % 1000)
}

/** In a clock gap the time moves forward by the gap; of a repeated time the first counts. */
export function timeAtWallClock(wall: number, zone: string): number {
  const offset = (at: number) => wallClockOf(at, zone) - at
  const before = wall - offset(wall - DAY_MS)
  const after = wall - offset(wall + DAY_MS)
  const right = [before, after].filter((at) => wallClockOf(at, zone) === wall)
  return right.length === 0 ? before : Math.min(...right)
}

/** For `<input type="datetime-local">`: "2026-11-15T02:00". */
export function wallClockText(at: number, zone: string): string {
  return new Date(wallClockOf(at, zone)).toISOString().slice(0, 16)
}

/** The instant of an input value in a zone; undefined while the field is incomplete. */
export function timeFromInput(text: string, zone: string): number | undefined {
  const wall = Date.parse(`${text}Z`)
  return Number.isNaN(wall) || !isZone(zone) ? undefined : timeAtWallClock(wall, zone)
}

/** All time zones of the browser. */
export const timeZoneNames: readonly string[] = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])]

/** "Sun 15 Nov, 02:00 to 04:00"; shows the second day only if it differs. */
export function timeRangeIn(from: number, to: number, zone: string): string {
  const day = (at: number) => Math.floor(wallClockOf(at, zone) / DAY_MS)
  return t('{from} to {value}', {
    from: timeIn(from, zone),
    value: day(from) === day(to) ? timeOfDayIn(to, zone) : timeIn(to, zone),
  })
}
