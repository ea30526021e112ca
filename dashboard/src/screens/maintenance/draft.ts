import type { PublicSchemas } from '../../api/client.ts'
import { localZone, timeOfDayIn } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { selectorIn } from '../../lib/selector.ts'
import { timeAtWallClock, timeFromInput, wallClockOf, wallClockText } from '../../lib/time-zones.ts'
import type { Timing } from './occurrences.ts'

export type Window = PublicSchemas['MaintenanceWindow']

/** Form values; times are wall-clock times of the window's zone. */
export interface Draft extends Pick<Timing, 'timezone' | 'recurrence' | 'daysOfWeek' | 'daysOfMonth'> {
  readonly name: string
  readonly description: string
  readonly startsAt: string
  readonly endsAt: string
  readonly recurrenceInterval: number | null
  readonly recurrenceEndsAt: string
  readonly allMonitors: boolean
  readonly monitorIds: readonly string[]
  /** Of a new window; the page of an existing one has a form for it. */
  readonly selector: string
  readonly statusPageIds: readonly string[]
}

const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000]

export function newDraft(now: number, monitorIds: readonly string[]): Draft {
  return {
    name: '',
    description: '',
    timezone: localZone,
    ...between(now + HOUR_MS, HOUR_MS, localZone),
    ...once,
    allMonitors: false,
    monitorIds,
    selector: '',
    statusPageIds: [],
  }
}

const once = {
  recurrence: 'NONE',
  recurrenceInterval: 1,
  daysOfWeek: [],
  daysOfMonth: [],
  recurrenceEndsAt: '',
} as const

function between(startsAt: number, length: number, zone: string) {
  const whole = Math.floor(startsAt / MINUTE_MS) * MINUTE_MS
  return { startsAt: wallClockText(whole, zone), endsAt: wallClockText(whole + length, zone) }
}

/** The next occurrence of this hour on one of the days. */
function nextAt(now: number, hour: number, zone: string, isWanted: (wall: Date) => boolean = () => true): number {
  const today = Math.floor(wallClockOf(now, zone) / DAY_MS) * DAY_MS
  for (let day = 0; ; day += 1) {
    const wall = today + day * DAY_MS + hour * HOUR_MS
    const at = timeAtWallClock(wall, zone)
    if (at > now && isWanted(new Date(wall))) return at
  }
}

type Preset = (now: number, zone: string) => Partial<Draft>

/** "2:00 AM" or "02:00", as the reader's locale writes it. */
function timeText(hour: number): string {
  return timeOfDayIn(hour * HOUR_MS, 'UTC')
}

/** Common schedules. */
export const presets: readonly (readonly [label: string, preset: Preset])[] = [
  [t('Now, for 30 min'), (now, zone) => ({ ...once, ...between(now, 30 * MINUTE_MS, zone) })],
  [t('In 1 hour, for 30 min'), (now, zone) => ({ ...once, ...between(now + HOUR_MS, 30 * MINUTE_MS, zone) })],
  [
    t('Tonight, {start} to {end}', { start: timeText(2), end: timeText(4) }),
    (now, zone) => ({ ...once, ...between(nextAt(now, 2, zone), 2 * HOUR_MS, zone) }),
  ],
  [
    t('Every Sunday, {start} to {end}', { start: timeText(2), end: timeText(4) }),
    (now, zone) => ({
      ...once,
      ...between(
        nextAt(now, 2, zone, (day) => day.getUTCDay() === 0),
        2 * HOUR_MS,
        zone,
      ),
      recurrence: 'WEEKLY',
      daysOfWeek: [7],
    }),
  ],
  [
    t('First of every month, {start} to {end}', { start: timeText(3), end: timeText(4) }),
    (now, zone) => ({
      ...once,
      ...between(
        nextAt(now, 3, zone, (day) => day.getUTCDate() === 1),
        HOUR_MS,
        zone,
      ),
      recurrence: 'MONTHLY',
      daysOfMonth: [1],
    }),
  ],
]

export function draftOf(window: Window): Draft {
  const zone = window.timezone
  return {
    ...window,
    description: window.description ?? '',
    selector: '',
    startsAt: wallClockText(Date.parse(window.startsAt), zone),
    endsAt: wallClockText(Date.parse(window.endsAt), zone),
    recurrenceEndsAt: window.recurrenceEndsAt === null ? '' : wallClockText(Date.parse(window.recurrenceEndsAt), zone),
  }
}

/** The timing; undefined while fields are missing. */
export function timingIn(draft: Draft): Timing | undefined {
  const { timezone, recurrence, recurrenceInterval, daysOfWeek, daysOfMonth } = draft
  const startsAt = timeFromInput(draft.startsAt, timezone)
  const endsAt = timeFromInput(draft.endsAt, timezone)
  if (startsAt === undefined || endsAt === undefined || recurrenceInterval === null || recurrenceInterval < 1) return
  const recurrenceEndsAt = timeFromInput(draft.recurrenceEndsAt, timezone) ?? null
  return { startsAt, endsAt, timezone, recurrence, recurrenceInterval, daysOfWeek, daysOfMonth, recurrenceEndsAt }
}

/** The request body. Unchanged times are taken from `before`, because the inputs have no seconds. */
export function bodyOf(draft: Draft, before?: Window): PublicSchemas['CreateMaintenanceWindow'] {
  const was = before && draftOf(before)
  const isZoneKept = was?.timezone === draft.timezone
  const moment = (field: 'startsAt' | 'endsAt' | 'recurrenceEndsAt'): string | null => {
    if (before !== undefined && isZoneKept && was?.[field] === draft[field]) return before[field]
    const at = timeFromInput(draft[field], draft.timezone)
    return at === undefined ? null : new Date(at).toISOString()
  }
  const { recurrence } = draft
  const selector = before === undefined && !draft.allMonitors ? selectorIn(draft.selector) : null
  return {
    name: draft.name,
    description: draft.description.trim() === '' ? null : draft.description,
    startsAt: moment('startsAt') ?? '',
    endsAt: moment('endsAt') ?? '',
    timezone: draft.timezone,
    recurrence,
    recurrenceInterval: draft.recurrenceInterval ?? 1,
    daysOfWeek: recurrence === 'WEEKLY' ? [...draft.daysOfWeek] : [],
    daysOfMonth:
      recurrence === 'MONTHLY'
        ? ([...draft.daysOfMonth] as PublicSchemas['CreateMaintenanceWindow']['daysOfMonth'])
        : [],
    recurrenceEndsAt: recurrence === 'NONE' ? null : moment('recurrenceEndsAt'),
    allMonitors: draft.allMonitors,
    monitorIds: draft.allMonitors ? [] : [...draft.monitorIds],
    statusPageIds: [...draft.statusPageIds],
    ...(selector !== null && { selector }),
  }
}
