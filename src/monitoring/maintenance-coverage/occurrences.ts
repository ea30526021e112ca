import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../lib/clock.ts'
import { dayNumber, daysFrom, LAST_DAY } from './days.ts'
import type { MaintenanceStatus, Occurrence, Timing } from './types.ts'

/** A moment as the wall clock of a zone shows it. */
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

/** Where the clock skips the time it moves on by what is skipped; where it shows it twice the first one counts. */
function momentOf({ day, msOfDay }: WallClock, timezone: string): number {
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

/** A zone may lie a day off, and a gap may be a day long (Samoa in 2011): so many days before may still matter. */
const SLACK_DAYS = 3

const LAST_MOMENT = (LAST_DAY + 1) * DAY_MS - 1

export function lengthOf({ startsAt, endsAt }: Timing): number {
  return endsAt - startsAt
}

/** The starts of a window from a moment on, in order, each once. Where it jumps to does not matter for its cost. */
function* startsFrom(timing: Timing, from: number): Generator<number> {
  const { startsAt, timezone, recurrence, recurrenceEndsAt } = timing
  if (recurrence === 'NONE') {
    if (startsAt >= from) yield startsAt
    return
  }
  const last = Math.min(recurrenceEndsAt ?? LAST_MOMENT, LAST_MOMENT - lengthOf(timing))
  if (from > last) return
  const first = wallClock(startsAt, timezone)
  const earliest = from <= startsAt ? first.day : wallClock(from, timezone).day - SLACK_DAYS
  let latest = Number.NEGATIVE_INFINITY
  for (const day of daysFrom(timing, first.day, earliest)) {
    // The start itself was told as a moment, so it may be the second of two that the wall clock shows alike.
    const start = day === first.day ? startsAt : momentOf({ day, msOfDay: first.msOfDay }, timezone)
    if (start > last) return
    if (start >= from && start > latest) yield start
    latest = start
  }
}

function occurrence(timing: Timing, startsAt: number): Occurrence {
  return { startsAt, endsAt: startsAt + lengthOf(timing) }
}

/** The first occurrence that begins after a moment. */
export function nextAfter(timing: Timing, at: number): Occurrence | null {
  for (const start of startsFrom(timing, at + 1)) return occurrence(timing, start)
  return null
}

/** Occurrences of which some lies between two moments, in order; of more than `limit` the first. */
export function occurrencesWithin(timing: Timing, from: number, to: number, limit: number): readonly Occurrence[] {
  const found: Occurrence[] = []
  for (const start of startsFrom(timing, from - lengthOf(timing) + 1)) {
    if (start >= to || found.length >= limit) break
    found.push(occurrence(timing, start))
  }
  return found
}

/** The latest occurrence that has begun at a moment, if it began at `notBefore` or later. */
export function latestBegun(timing: Timing, at: number, notBefore: number): Occurrence | null {
  const earliest = Math.max(notBefore, timing.startsAt)
  // Looking back twice as far each time: how long ago it was is not known, and may be years.
  for (let back = SHORT_LOOK_MS; ; back *= 2) {
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

const SHORT_LOOK_MS = 8 * DAY_MS

/** How a window stands at a moment. Of occurrences that overlap, the latest that has begun is the current one. */
export interface Phase {
  readonly status: MaintenanceStatus
  readonly current: Occurrence | null
  readonly next: Occurrence | null
}

export function phaseAt(timing: Timing, at: number): Phase {
  let current: Occurrence | null = null
  let next: Occurrence | null = null
  for (const start of startsFrom(timing, at - lengthOf(timing) + 1)) {
    if (start > at) {
      next = occurrence(timing, start)
      break
    }
    current = occurrence(timing, start)
  }
  return { status: current !== null ? 'IN_PROGRESS' : next !== null ? 'SCHEDULED' : 'COMPLETED', current, next }
}

/** Occurrences that are followed up at a time; some overlap for ever. */
const MOST_FOLLOWED = 64

/**
 * When the occurrence that is under way ends, together with those that begin before or at its end: a window that is
 * longer than its period is in progress without a break. If it goes on for very long, a moment within it.
 */
export function endOfRun(timing: Timing, current: Occurrence): number {
  let { endsAt } = current
  let followed = 0
  for (const start of startsFrom(timing, current.startsAt + 1)) {
    if (start > endsAt || followed >= MOST_FOLLOWED) break
    endsAt = start + lengthOf(timing)
    followed += 1
  }
  return endsAt
}

/** When the last occurrence ends; null where there is always another one. */
export function endOfAll(timing: Timing): number | null {
  const { recurrence, recurrenceEndsAt, startsAt, endsAt } = timing
  if (recurrence === 'NONE') return endsAt
  if (recurrenceEndsAt === null) return null
  return latestBegun(timing, recurrenceEndsAt, startsAt)?.endsAt ?? startsAt
}
