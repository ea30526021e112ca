import { DAY_MS } from '../../../lib/clock.ts'
import { type TimingColumns, timingIn } from '../../../monitoring/monitor-settings/stored.ts'
import { accrue, type ClosedHour, categoryOf, uptimeRatio } from '../../../monitoring/monitor-states/ledger.ts'
import { readMemory } from '../../../monitoring/monitor-states/memory.ts'
import { stateValidMs } from '../../../monitoring/monitor-states/schedule.ts'
import type { MonitorState } from '../../../monitoring/monitor-states/state.ts'
import { isUnmonitored, unknownMsIn } from '../../../monitoring/uptime/unknown-time.ts'

/** The worst that happened on a day. `unknown`: nobody looked for a part of it; `none`: the monitor did not exist. */
export const dayKinds = ['up', 'degraded', 'down', 'maintenance', 'unknown', 'paused', 'none'] as const
export type DayKind = (typeof dayKinds)[number]

/** How long a monitor was in each state. */
export interface DayDurations {
  readonly upMs: number
  /** Part of `upMs`. */
  readonly degradedMs: number
  readonly downMs: number
  readonly pausedMs: number
  readonly maintenanceMs: number
}

export interface Day extends DayDurations {
  readonly kind: DayKind
  readonly unknownMs: number
}

export interface UptimeHistory {
  /** Oldest first; the last one is today. */
  readonly days: readonly Day[]
  readonly upMs: number
  readonly downMs: number
  /** upMs / (upMs + downMs); null without data. */
  readonly uptime: number | null
}

/** The daily roll-ups of a monitor, read by `daysOfMonitors`. */
export interface StoredDays {
  readonly count: number
  /** Start of the first and of the last stored day. */
  readonly firstAt: number
  readonly lastAt: number
  /** The start of every stored day if there are gaps between first and last, else null. */
  readonly known: readonly number[] | null
  /** Days that were not up throughout. */
  readonly notable: readonly NotableDay[]
}

export interface NotableDay extends DayDurations {
  /** The number of its monitor. */
  readonly num: number
  readonly startAt: number
}

/** The current state of a monitor; `memory` contains the time that is not in the roll-ups yet. */
export interface LiveState extends TimingColumns {
  readonly created_at: number
  readonly state: MonitorState
  readonly inMaintenance: boolean
  readonly memory: string
}

const noDurations: DayDurations = { upMs: 0, degradedMs: 0, downMs: 0, pausedMs: 0, maintenanceMs: 0 }
const emptyDay: Day = { ...noDurations, kind: 'none', unknownMs: 0 }
/** Shared by all days that were up throughout, which are most. */
const fullyUpDay: Day = { ...emptyDay, kind: 'up', upMs: DAY_MS }

export function kindOf({ upMs, degradedMs, downMs, pausedMs, maintenanceMs }: DayDurations, unknownMs = 0): DayKind {
  if (downMs > 0) return 'down'
  if (degradedMs > 0) return 'degraded'
  if (maintenanceMs > 0) return 'maintenance'
  if (isUnmonitored(unknownMs)) return 'unknown'
  if (pausedMs > upMs) return 'paused'
  return upMs > 0 ? 'up' : 'none'
}

export function firstDayOf(now: number, count: number): number {
  return Math.floor(now / DAY_MS) - (count - 1)
}

export function uptimeHistoryOf(
  stored: StoredDays | undefined,
  liveState: LiveState,
  count: number,
  now: number,
): UptimeHistory {
  const firstDay = firstDayOf(now, count)
  const durations = new Array<DayDurations>(count).fill(noDurations)
  let { upMs, downMs } = stored === undefined ? noDurations : placeStoredDays(durations, stored, firstDay)
  for (const { hourStart, totals } of openHours(liveState, now)) {
    const at = Math.floor(hourStart / DAY_MS) - firstDay
    if (at < 0) continue
    durations[at] = sum(durations[at] as DayDurations, totals)
    upMs += totals.upMs
    downMs += totals.downMs
  }
  const days = durations.map((one, i) => dayOf(one, (firstDay + i) * DAY_MS, liveState, now))
  return { days, upMs, downMs, uptime: uptimeRatio({ upMs, downMs }) }
}

/** The end of a history, with the uptime of that time. */
export function lastDaysOf({ days }: UptimeHistory, count: number): UptimeHistory {
  const last = days.slice(-count)
  let [upMs, downMs] = [0, 0]
  for (const day of last) {
    upMs += day.upMs
    downMs += day.downMs
  }
  return { days: last, upMs, downMs, uptime: uptimeRatio({ upMs, downMs }) }
}

/** One day of a monitor: what is stored, and what is not in the roll-ups yet. */
export function dayAt(stored: DayDurations | undefined, liveState: LiveState, startAt: number, now: number): Day {
  let durations = stored ?? noDurations
  for (const { hourStart, totals } of openHours(liveState, now)) {
    if (Math.floor(hourStart / DAY_MS) * DAY_MS === startAt) durations = sum(durations, totals)
  }
  return dayOf(durations, startAt, liveState, now)
}

/** Writes stored days into `days` and returns their total up and down time. */
function placeStoredDays(
  days: DayDurations[],
  { count, firstAt, lastAt, known, notable }: StoredDays,
  firstDay: number,
) {
  if (known === null) days.fill(fullyUpDay, firstAt / DAY_MS - firstDay, lastAt / DAY_MS - firstDay + 1)
  else for (const at of known) days[at / DAY_MS - firstDay] = fullyUpDay
  let [upMs, downMs] = [(count - notable.length) * DAY_MS, 0]
  for (const day of notable) {
    days[day.startAt / DAY_MS - firstDay] = day
    upMs += day.upMs
    downMs += day.downMs
  }
  return { upMs, downMs }
}

function dayOf(durations: DayDurations, startAt: number, { created_at: createdAt }: LiveState, now: number): Day {
  if (durations === fullyUpDay) return fullyUpDay
  const { upMs, degradedMs, downMs, pausedMs, maintenanceMs } = durations
  const unknownMs = unknownMsIn(durations, { from: startAt, to: Math.min(startAt + DAY_MS, now) }, createdAt)
  const kind = kindOf(durations, unknownMs)
  return { kind, upMs, degradedMs, downMs, pausedMs, maintenanceMs, unknownMs }
}

/** The hours that are not in the roll-ups yet, up to now. */
function openHours({ state, inMaintenance, memory, ...row }: LiveState, now: number): readonly ClosedHour[] {
  const { ledger } = readMemory(memory, now)
  const validMs = state === 'PAUSED' ? Number.POSITIVE_INFINITY : stateValidMs(timingIn(row), ledger.accountedUntil)
  const { closed, ledger: open } = accrue(ledger, now, categoryOf(state, inMaintenance), validMs)
  return [...closed, open]
}

function sum(a: DayDurations, b: DayDurations): DayDurations {
  return {
    upMs: a.upMs + b.upMs,
    degradedMs: a.degradedMs + b.degradedMs,
    downMs: a.downMs + b.downMs,
    pausedMs: a.pausedMs + b.pausedMs,
    maintenanceMs: a.maintenanceMs + b.maintenanceMs,
  }
}
