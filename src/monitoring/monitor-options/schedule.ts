import { Cron } from 'croner'
import Type from 'typebox'
import type { Schedule } from '../../contract/check-options.ts'
import type { Fault } from '../../contract/errors.ts'
import { patterns } from '../../contract/patterns.ts'
import { body, DOCUMENTED, defaulted, nullable, resource, Timestamp } from '../../contract/schema.ts'
import { parseTimeZone, TIME_ZONE_FAULT } from '../../lib/time-zone.ts'
import { isoTimestamp } from '../../lib/timestamp.ts'
import type { OptionDefinition } from './definition.ts'

const SHOWN_RUNS = 5

const cron = Type.String({
  minLength: 1,
  maxLength: 100,
  description:
    'Five fields: minute, hour, day of month, month, day of week; or @hourly, @daily, @weekly, @monthly, @yearly',
})
const timezone = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'An IANA name. The schedule follows local time in this zone.',
  [DOCUMENTED]: { pattern: patterns.timezone, examples: ['Europe/Berlin'] },
})

const example: Schedule = { cron: '30 3 * * MON-FRI', timezone: 'Europe/Berlin' }

export const schedule: OptionDefinition<Schedule> = {
  noun: 'schedule',
  description:
    'When the job runs, instead of `expectedPeriodSec`. A heartbeat is overdue `graceSeconds` after the first run that follows ' +
    'the last success. In a daylight-saving gap a run moves forward; in an overlap it counts once. By default there is no schedule.',
  types: ['CRON'],
  body: body('SetMonitorSchedule', { cron, timezone: defaulted(timezone, 'UTC') }),
  answer: resource('MonitorSchedule', {
    cron: nullable(Type.String(), { description: 'null if there is no schedule' }),
    timezone: nullable(Type.String()),
    nextRuns: Type.Array(Timestamp, { description: `The next ${SHOWN_RUNS} runs` }),
  }),
  render: (value, { now }) =>
    value === undefined ? { cron: null, timezone: null, nextRuns: [] } : { ...value, nextRuns: nextRuns(value, now) },
  faults: scheduleFaults,
  example: {
    body: example,
    answer: {
      ...example,
      nextRuns: ['2026-03-03', '2026-03-04', '2026-03-05', '2026-03-06', '2026-03-09'].map(
        (day) => `${day}T02:30:00.000Z`,
      ),
    },
  },
}

/** The first run after a moment. A valid schedule always has one. */
export function nextRun(of: Schedule, after: number): number {
  return (parse(of).nextRun(new Date(after)) as Date).getTime()
}

function nextRuns(of: Schedule, after: number): string[] {
  return parse(of)
    .nextRuns(SHOWN_RUNS, new Date(after))
    .map((run) => isoTimestamp(run.getTime()))
}

function parse({ cron: pattern, timezone: zone }: Schedule): Cron {
  return new Cron(pattern, { timezone: zone, mode: '5-part' })
}

function scheduleFaults({ cron: pattern, timezone: zone = 'UTC' }: Readonly<Record<string, unknown>>): Fault[] {
  const isZone = typeof zone === 'string' && parseTimeZone(zone) !== undefined
  const faults = isZone ? [] : [{ path: 'timezone', message: TIME_ZONE_FAULT }]
  const message = typeof pattern === 'string' ? cronFault(pattern) : undefined
  return message === undefined ? faults : [...faults, { path: 'cron', message }]
}

/** Croner also accepts a single date, which is no schedule. */
const cronForm = /^\s*(?:@[a-z]+|\S+(?:\s+\S+){4})\s*$/i

function cronFault(pattern: string): string | undefined {
  if (!cronForm.test(pattern)) return 'must have five fields: minute, hour, day of month, month, day of week'
  try {
    const next = parse({ cron: pattern, timezone: 'UTC' }).nextRun(new Date(0))
    return next === null ? 'must match a date that exists' : undefined
  } catch (error) {
    const text = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : String(error)
    return `is not valid: ${text.replace(/\.$/, '')}`
  }
}
