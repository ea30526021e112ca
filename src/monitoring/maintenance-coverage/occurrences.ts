import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../lib/clock.ts'
import { dayNumber, daysFrom, LAST_DAY } from './days.ts'
import type { MaintenanceStatus, Occurrence, WindowTiming } from './types.ts'

/** A time on the wall clock of a zone. */
interface WallClock {
  readonly day: number
  readonly msOfDay: number
}

export function wallClock(at: number, timezone: string): WallClock {
  const there = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timezone)
  const { year, month, day, hour, minute, second, millisecond } = there
  return {
    day: dayNumber(year, month, day),
    msOfDay: hour * HOUR_MS + minute * MINUTE_MS + second * SECOND_MS + millisecond,
  }
}

/** A time that the clock skips is moved forward by the gap; of a time that it shows twice the first counts. */
function instantOf({ day, msOfDay }: WallClock, timezone: string): number {
  const wall = new Date(day * DAY_MS + msOfDay)
  return new Temporal.PlainDateTime(
    wall.getUTCFullYear(),
    wall.getUTCMonth() + 1,
    wall.getUTCDate(),
    wall.getUTCHours(),
    wall.getUTCMinutes(),
    wall.getUTCSeconds(),
    wall.getUTCMilliseconds(),
  ).toZonedDateTime(timezone).epochMilliseconds
}

/** A zone's offset can be a day, and a gap in its clock too (Samoa in 2011), so the search starts some days earlier. */
const SLACK_DAYS = 3

const LAST_INSTANT = (LAST_DAY + 1) * DAY_MS - 1

function durationMs({ startsAt, endsAt }: WindowTiming): number {
  return endsAt - startsAt
}

/** The start times from `from` on, in order, each once. The cost does not depend on how far `from` is from the start. */
function* startsFrom(timing: WindowTiming, from: number): Generator<number> {
  const { startsAt, timezone, recurrence, recurrenceEndsAt } = timing
  if (recurrence === 'NONE') {
    if (startsAt >= from) yield startsAt
    return
  }
  const last = Math.min(recurrenceEndsAt ?? LAST_INSTANT, LAST_INSTANT - durationMs(timing))
  if (from > last) return
  const first = wallClock(startsAt, timezone)
  const earliest = from <= startsAt ? first.day : wallClock(from, timezone).day - SLACK_DAYS
  let latest = Number.NEGATIVE_INFINITY
  for (const day of daysFrom(timing, first.day, earliest)) {
    // The first start is exact: it may be the second of two instants with the same wall clock time.
    const start = day === first.day ? startsAt : instantOf({ day, msOfDay: first.msOfDay }, timezone)
    if (start > last) return
    if (start >= from && start > latest) yield start
    latest = start
  }
}

function occurrence(timing: WindowTiming, startsAt: number): Occurrence {
  return { startsAt, endsAt: startsAt + durationMs(timing) }
}

/** The first occurrence that starts after `at`. */
export function nextAfter(timing: WindowTiming, at: number): Occurrence | null {
  for (const start of startsFrom(timing, at + 1)) return occurrence(timing, start)
  return null
}

/** Occurrences that overlap the time between `from` and `to`, in order; at most the first `limit`. */
export function occurrencesWithin(
  timing: WindowTiming,
  from: number,
  to: number,
  limit: number,
): readonly Occurrence[] {
  const found: Occurrence[] = []
  for (const start of startsFrom(timing, from - durationMs(timing) + 1)) {
    if (start >= to || found.length >= limit) break
    found.push(occurrence(timing, start))
  }
  return found
}

/** The latest occurrence that has started by `at`, if it started at `notBefore` or later. */
export function latestStarted(timing: WindowTiming, at: number, notBefore: number): Occurrence | null {
  const earliest = Math.max(notBefore, timing.startsAt)
  // Searches back in doubling steps, because the last start may be years ago.
  for (let back = FIRST_STEP_MS; ; back *= 2) {
    const from = Math.max(earliest, at - back)
    let latest: number | undefined
    for (const start of startsFrom(timing, from)) {
      if (start > at) break
      latest = start
    }
    if (latest !== undefined) return occurrence(timing, latest)
    if (from <= earliest) return null
  }
}

const FIRST_STEP_MS = 8 * DAY_MS

/** A window at one time. Of overlapping occurrences the latest that has started is the current one. */
export interface Phase {
  readonly status: MaintenanceStatus
  readonly current: Occurrence | null
  readonly next: Occurrence | null
}

export function phaseAt(timing: WindowTiming, at: number): Phase {
  let current: Occurrence | null = null
  let next: Occurrence | null = null
  for (const start of startsFrom(timing, at - durationMs(timing) + 1)) {
    if (start > at) {
      next = occurrence(timing, start)
      break
    }
    current = occurrence(timing, start)
  }
  return { status: current !== null ? 'IN_PROGRESS' : next !== null ? 'SCHEDULED' : 'COMPLETED', current, next }
}

/** Bounds the search: occurrences can overlap without end. */
const MAX_FOLLOWED = 64

/**
 * When the current occurrence ends, together with those that start before or at its end: a window that is longer than its
 * period is in progress without a break. After 64 occurrences the search stops at the end of the last one.
 */
export function endOfRun(timing: WindowTiming, current: Occurrence): number {
  let { endsAt } = current
  let followed = 0
  for (const start of startsFrom(timing, current.startsAt + 1)) {
    if (start > endsAt || followed >= MAX_FOLLOWED) break
    endsAt = start + durationMs(timing)
    followed += 1
  }
  return endsAt
}

/** Null if occurrences never end. */
export function endOfLastOccurrence(timing: WindowTiming): number | null {
  const { recurrence, recurrenceEndsAt, startsAt, endsAt } = timing
  if (recurrence === 'NONE') return endsAt
  if (recurrenceEndsAt === null) return null
  return latestStarted(timing, recurrenceEndsAt, startsAt)?.endsAt ?? startsAt
}
