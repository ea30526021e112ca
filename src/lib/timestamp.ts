import { DAY_MS, MINUTE_MS } from './clock.ts'

/** The parts of a moment as they are written, so that telling one is looking up four texts. */
const minutes = Array.from({ length: DAY_MS / MINUTE_MS }, (_, i) => `${digits(i / 60, 2)}:${digits(i % 60, 2)}:`)
const seconds = Array.from({ length: 60 }, (_, i) => `${digits(i, 2)}.`)
const milliseconds = Array.from({ length: 1000 }, (_, i) => `${digits(i, 3)}Z`)

/** Days that were told before: moments of checks fall on today and on the day of each monitor's last change. */
const days = new Map<number, string>()
const MOST_DAYS = 1_000

/** A moment as the API tells it, in UTC with milliseconds; several times as fast as Date's own way. */
export function isoTimestamp(ms: number): string {
  const day = Math.floor(ms / DAY_MS)
  const rest = ms - day * DAY_MS
  const second = Math.floor(rest / 1000)
  const minute = Math.floor(second / 60)
  return `${dayText(day)}${minutes[minute]}${seconds[second - minute * 60]}${milliseconds[Math.floor(rest - second * 1000)]}`
}

function dayText(day: number): string {
  let text = days.get(day)
  if (text === undefined) {
    text = new Date(day * DAY_MS).toISOString().slice(0, -'00:00:00.000Z'.length)
    if (days.size >= MOST_DAYS) days.clear()
    days.set(day, text)
  }
  return text
}

function digits(n: number, wanted: number): string {
  return String(Math.floor(n)).padStart(wanted, '0')
}
