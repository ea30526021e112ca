import fc from 'fast-check'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/lib/clock.ts'
import type { Occurrence, WindowTiming } from '../../../src/monitoring/maintenance-coverage/types.ts'

/** Clocks of both hemispheres, half hours, a winter time in Ramadan, and a day that Samoa never had. */
const zones = [
  ...['UTC', 'Europe/Berlin', 'America/New_York', 'America/Santiago', 'Australia/Sydney', 'Australia/Lord_Howe'],
  ...['Africa/Casablanca', 'Pacific/Apia', 'Asia/Kathmandu', 'America/St_Johns', 'Africa/Cairo'],
]

/** Moments at which clocks were put, and ends of months; a window that begins around one of them has something to tell. */
const notable = [
  ...[Date.UTC(2011, 11, 30, 10), Date.UTC(2026, 2, 29, 1), Date.UTC(2026, 9, 25, 1), Date.UTC(2024, 1, 29, 12)],
  ...[Date.UTC(2026, 3, 4, 15), Date.UTC(2026, 9, 3, 15, 30), Date.UTC(2026, 2, 8, 7), Date.UTC(2026, 10, 1, 6)],
  ...[Date.UTC(2026, 8, 6, 4), Date.UTC(2026, 3, 5, 3), Date.UTC(2026, 1, 15, 2), Date.UTC(2026, 0, 31)],
]

const near = fc
  .tuple(fc.constantFrom(...notable), fc.integer({ min: -40 * 24 * 12, max: 24 * 12 }))
  .map(([at, steps]) => at + steps * 5 * MINUTE_MS)

const length = fc.oneof(
  { arbitrary: fc.integer({ min: 1, max: 12 * 60 }).map((minutes) => minutes * MINUTE_MS), weight: 6 },
  {
    arbitrary: fc.constantFrom(1, 23 * HOUR_MS, 24 * HOUR_MS, 25 * HOUR_MS, 7 * DAY_MS, 30 * DAY_MS),
    weight: 2,
  },
)

/** Windows of every kind. */
export const timings: fc.Arbitrary<WindowTiming> = fc
  .record({
    startsAt: near,
    length,
    timezone: fc.constantFrom(...zones),
    recurrence: fc.constantFrom('NONE' as const, 'DAILY' as const, 'WEEKLY' as const, 'MONTHLY' as const),
    recurrenceInterval: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 5 }), fc.constantFrom(12, 52)),
    daysOfWeek: fc.subarray([1, 2, 3, 4, 5, 6, 7]),
    daysOfMonth: fc.subarray([-1, 1, 2, 15, 28, 29, 30, 31]),
    lastsDays: fc.option(fc.integer({ min: 0, max: 120 })),
  })
  .map(({ length: ms, lastsDays, ...rest }) => ({
    ...rest,
    endsAt: rest.startsAt + ms,
    recurrenceEndsAt: lastsDays === null ? null : rest.startsAt + lastsDays * DAY_MS,
  }))

/** Every day at 01:30 UTC, for an hour, by the clock of Berlin; since long ago. */
export const daily: WindowTiming = {
  startsAt: Date.UTC(1975, 4, 31, 1, 30),
  endsAt: Date.UTC(1975, 4, 31, 2, 30),
  timezone: 'Europe/Berlin',
  recurrence: 'DAILY',
  recurrenceInterval: 1,
  daysOfWeek: [],
  daysOfMonth: [],
  recurrenceEndsAt: null,
}

export const at = (startsAt: number, hours = 1): Occurrence => ({ startsAt, endsAt: startsAt + hours * HOUR_MS })

/** Occurrences without the breaks that are none. */
export function runsOf(occurrences: readonly Occurrence[]): Occurrence[] {
  const runs: Occurrence[] = []
  for (const { startsAt, endsAt } of occurrences) {
    const last = runs.at(-1)
    if (last === undefined || startsAt > last.endsAt) runs.push({ startsAt, endsAt })
    else runs[runs.length - 1] = { startsAt: last.startsAt, endsAt }
  }
  return runs
}
