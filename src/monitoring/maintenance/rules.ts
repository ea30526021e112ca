import type { Fault } from '../../contract/errors.ts'
import { faultFor } from '../../contract/errors.ts'
import { timestampMs } from '../../contract/patterns.ts'
import { parsedSelector } from '../../contract/selector.ts'
import { duplicateFaults } from '../../contract/unique-items.ts'
import { DAY_MS } from '../../lib/clock.ts'
import { parseTimeZone, TIME_ZONE_FAULT } from '../../lib/time-zone.ts'
import { reason } from '../../reasons/reason.ts'
import { dayNumber, LAST_DAY } from '../maintenance-coverage/days.ts'
import { nextAfter } from '../maintenance-coverage/occurrences.ts'
import type { WindowTiming } from '../maintenance-coverage/types.ts'
import type { WindowSettings } from './settings.ts'

type Fields = Readonly<Record<string, unknown>>

const MAX_DURATION_MS = 30 * DAY_MS
const MAX_LIST = 500

/** The timestamps of the API have four-digit years. */
const FIRST_INSTANT = dayNumber(0, 1, 1) * DAY_MS
const LAST_INSTANT = (LAST_DAY + 1) * DAY_MS - 1

/** Faults of single fields that a schema cannot express, in a new window or a patch. */
export function fieldFaults(window: Fields): Fault[] {
  const { timezone } = window
  const faults = ['startsAt', 'endsAt', 'recurrenceEndsAt'].flatMap((path): Fault[] => {
    const instant = parseOptional(window[path])
    if (instant === undefined || (instant >= FIRST_INSTANT && instant <= LAST_INSTANT)) return []
    return [faultFor(path, reason('year_range'))]
  })
  if (typeof timezone === 'string' && parseTimeZone(timezone) === undefined) {
    faults.push({ path: 'timezone', message: TIME_ZONE_FAULT })
  }
  return [
    ...faults,
    ...['daysOfWeek', 'daysOfMonth', 'monitorIds', 'statusPageIds'].flatMap((path) =>
      duplicateFaults(path, window[path], MAX_LIST),
    ),
    ...selectorFaults(window),
  ]
}

export function newWindowFaults(window: Fields): Fault[] {
  const [startsAt, endsAt] = [parseOptional(window.startsAt), parseOptional(window.endsAt)]
  const durationFaults = startsAt === undefined || endsAt === undefined ? [] : lengthFaults({ startsAt, endsAt })
  return [...fieldFaults(window), ...durationFaults, ...coverFaults(window)]
}

export function selectorFaults({ selector }: Fields): readonly Fault[] {
  // The schema reports an empty one.
  if (typeof selector !== 'string' || selector === '') return []
  const parsed = parsedSelector(selector, 'selector')
  return 'faults' in parsed ? parsed.faults : []
}

/** Undefined if it is malformed; the schema reports that. */
function parseOptional(text: unknown): number | undefined {
  return typeof text === 'string' ? timestampMs(text) : undefined
}

function lengthFaults({ startsAt, endsAt }: Pick<WindowTiming, 'startsAt' | 'endsAt'>): Fault[] {
  if (endsAt <= startsAt) return [faultFor('endsAt', reason('after_start', { field: 'startsAt' }))]
  if (endsAt - startsAt > MAX_DURATION_MS) return [faultFor('endsAt', reason('window_length', { field: 'startsAt' }))]
  return []
}

const NOTHING_ELSE = 'is required: the window covers nothing else. Set monitorIds or allMonitors first'

function coverFaults({ monitorIds, allMonitors, selector = null }: Fields): Fault[] {
  const hasMonitors = monitorIds !== undefined && !(Array.isArray(monitorIds) && monitorIds.length === 0)
  if (hasMonitors || selector !== null || (allMonitors !== undefined && allMonitors !== false)) return []
  return [faultFor('monitorIds', reason('window_monitors', { all: 'allMonitors', selector: 'selector' }))]
}

/** Faults of the combination of all times. */
export function timingFaults(timing: WindowTiming): Fault[] {
  const faults = lengthFaults(timing)
  const { startsAt, recurrence, recurrenceEndsAt } = timing
  if (faults.length > 0 || recurrence === 'NONE' || nextAfter(timing, startsAt - 1) !== null) return faults
  if (nextAfter({ ...timing, recurrenceEndsAt: null }, startsAt - 1) === null || recurrenceEndsAt === null) {
    return [faultFor('daysOfMonth', reason('window_days'))]
  }
  return [faultFor('recurrenceEndsAt', reason('recurrence_end'))]
}

/**
 * Coverage is validated only if it changes: all monitors of the window may have been deleted since. A window with a selector
 * needs no monitors.
 */
export function patchFaults(
  after: WindowSettings & { readonly selector: string | null },
  changed: ReadonlySet<string>,
): Fault[] {
  const isListed = changed.has('monitorIds') || changed.has('allMonitors')
  const uncovered = isListed || changed.has('selector') ? coverFaults({ ...after }) : []
  const cover = uncovered.map((fault): Fault => (isListed ? fault : { path: 'selector', message: NOTHING_ELSE }))
  return [...timingFaults(after), ...cover]
}
