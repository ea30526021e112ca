import type { Fault } from '../../contract/errors.ts'
import { DAY_MS } from '../../lib/clock.ts'
import { zoneNamed } from '../../lib/zone.ts'
import { dayNumber, LAST_DAY } from '../maintenance-coverage/days.ts'
import { nextAfter } from '../maintenance-coverage/occurrences.ts'
import type { Timing } from '../maintenance-coverage/types.ts'
import { momentIn, type WindowSettings } from './settings.ts'

type Fields = Readonly<Record<string, unknown>>

const LONGEST_MS = 30 * DAY_MS

/** What the API can write down. */
const FIRST_MOMENT = dayNumber(0, 1, 1) * DAY_MS
const LAST_MOMENT = (LAST_DAY + 1) * DAY_MS - 1

/** Faults of single fields that a schema cannot say, whether of a new window or of a change. */
export function fieldFaults(window: Fields): Fault[] {
  const { timezone } = window
  const faults = ['startsAt', 'endsAt', 'recurrenceEndsAt'].flatMap((path): Fault[] => {
    const moment = momentOrNone(window[path])
    if (moment === undefined || (moment >= FIRST_MOMENT && moment <= LAST_MOMENT)) return []
    return [{ path, message: 'must lie between the years 0 and 9999' }]
  })
  if (typeof timezone === 'string' && zoneNamed(timezone) === undefined) {
    faults.push({ path: 'timezone', message: 'must be an IANA time zone, such as Europe/Berlin' })
  }
  return faults
}

/** Faults of a new window as it came. */
export function newWindowFaults(window: Fields): Fault[] {
  const [startsAt, endsAt] = [momentOrNone(window.startsAt), momentOrNone(window.endsAt)]
  const ofTimes = startsAt === undefined || endsAt === undefined ? [] : lengthFaults({ startsAt, endsAt })
  return [...fieldFaults(window), ...ofTimes, ...coverFaults(window)]
}

/** The schema tells of what is no moment. */
function momentOrNone(text: unknown): number | undefined {
  if (typeof text !== 'string') return undefined
  try {
    return momentIn(text)
  } catch {
    return undefined
  }
}

function lengthFaults({ startsAt, endsAt }: Pick<Timing, 'startsAt' | 'endsAt'>): Fault[] {
  if (endsAt <= startsAt) return [{ path: 'endsAt', message: 'must be after startsAt' }]
  if (endsAt - startsAt > LONGEST_MS) return [{ path: 'endsAt', message: 'must be at most 30 days after startsAt' }]
  return []
}

export function coverFaults({ monitorIds, allMonitors }: Fields): Fault[] {
  const namesSome = monitorIds !== undefined && !(Array.isArray(monitorIds) && monitorIds.length === 0)
  if (namesSome || (allMonitors !== undefined && allMonitors !== false)) return []
  return [{ path: 'monitorIds', message: 'must name a monitor, unless allMonitors is true' }]
}

/** Faults of a window's times taken as a whole. */
export function timingFaults(timing: Timing): Fault[] {
  const faults = lengthFaults(timing)
  const { startsAt, recurrence, recurrenceEndsAt } = timing
  if (faults.length > 0 || recurrence === 'NONE' || nextAfter(timing, startsAt - 1) !== null) return faults
  if (nextAfter({ ...timing, recurrenceEndsAt: null }, startsAt - 1) === null || recurrenceEndsAt === null) {
    return [{ path: 'daysOfMonth', message: 'names no day that comes round at this interval' }]
  }
  return [{ path: 'recurrenceEndsAt', message: 'is before the first occurrence' }]
}

/** What a window covers has to be said again only by those who change it: its monitors may have been deleted since. */
export function patchFaults(after: WindowSettings, changed: ReadonlySet<string>): Fault[] {
  const covers = changed.has('monitorIds') || changed.has('allMonitors')
  return [...timingFaults(after), ...(covers ? coverFaults({ ...after }) : [])]
}
