import { STATUS_CODES } from 'node:http'
import { SECOND_MS } from '../lib/clock.ts'
import { durationText } from '../lib/duration.ts'
import { settingsFields } from '../monitoring/monitor-settings/schema.ts'

/** The fields of monitors that other tools have with wider bounds, and how the report names them. */
const numbers = {
  intervalSeconds: { noun: 'interval', unit: 's' },
  timeoutSeconds: { noun: 'timeout', unit: 's' },
  expectedPeriodSec: { noun: 'period', unit: 's' },
  graceSeconds: { noun: 'grace period', unit: 's' },
  degradedThresholdMs: { noun: 'response time limit', unit: 'ms' },
  sslExpiryThresholdDays: { noun: 'expiry threshold', unit: 'days' },
} as const

/** The nearest value that the field may have, as an integer. Adds a loss if it is another one than given. */
export function bounded(field: keyof typeof numbers, value: number, losses: string[]): number {
  const { minimum, maximum } = settingsFields[field] as unknown as { minimum: number; maximum: number }
  const { noun, unit } = numbers[field]
  const nearest = Math.min(Math.max(Math.round(value), minimum), maximum)
  if (nearest !== value) {
    const reason = value < minimum ? 'below the minimum' : value > maximum ? 'above the maximum' : 'not a whole number'
    losses.push(`The ${noun} of ${value} ${unit} is ${reason}: ${nearest} ${unit} is used.`)
  }
  return nearest
}

/** The period of a heartbeat. With a shorter one than the tool has, the monitor would go down before each report. */
export function heartbeatPeriod(
  seconds: number,
  losses: string[],
): { readonly expectedPeriodSec: number; readonly paused?: true } {
  const { maximum } = settingsFields.expectedPeriodSec as unknown as { maximum: number }
  if (!(seconds > maximum)) return { expectedPeriodSec: bounded('expectedPeriodSec', seconds, losses) }
  const [given, longest] = [seconds, maximum].map((one) => durationText(one * SECOND_MS))
  losses.push(
    `The period of ${given} is longer than ${longest}, the longest here: the monitor is paused, because it would be down each time. Set a schedule and resume it.`,
  )
  return { expectedPeriodSec: maximum, paused: true }
}

const MAX_NAME_CHARS = 120

/** A name on one line that is not too long. */
export function boundedName(name: string, fallback: string, losses: string[]): string {
  const line = name.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()
  if (line.length <= MAX_NAME_CHARS) return line || fallback
  losses.push(`The name is shortened to ${MAX_NAME_CHARS} characters.`)
  return line.slice(0, MAX_NAME_CHARS).toWellFormed().replace('\ufffd', '').trim()
}

/** A text that is cut at its maximum. */
export function boundedText(text: string, maxChars: number, noun: string, losses: string[]): string {
  if (text.length <= maxChars) return text
  losses.push(`The ${noun} is shortened to ${maxChars} characters.`)
  return text.slice(0, maxChars).toWellFormed()
}

const MAX_CODES = 100

/** Status codes, given as codes and inclusive ranges. If there are too many, the registered ones and then 2xx are kept. */
export function boundedStatus(ranges: readonly (number | readonly [number, number])[], losses: string[]): number[] {
  const codes = new Set<number>()
  for (const range of ranges) {
    const [from, to] = typeof range === 'number' ? [range, range] : range
    for (let code = Math.max(from, 100); code <= Math.min(to, 599); code += 1) codes.add(code)
  }
  const sorted = [...codes].sort((a, b) => a - b)
  if (sorted.length <= MAX_CODES) return sorted
  losses.push(
    `${sorted.length} expected status codes are more than ${MAX_CODES}: some that no standard defines are left out.`,
  )
  const rank = (code: number) => (STATUS_CODES[code] !== undefined ? 0 : code >= 200 && code < 300 ? 1 : 2)
  return sorted
    .sort((a, b) => rank(a) - rank(b) || a - b)
    .slice(0, MAX_CODES)
    .sort((a, b) => a - b)
}
