import { DAY_MS } from '../../../lib/clock.ts'
import { parseSettings } from '../../../monitoring/monitor-settings/stored.ts'
import {
  accrue,
  type ClosedHour,
  categoryOf,
  emptyTotals,
  uptimeRatio,
} from '../../../monitoring/monitor-states/ledger.ts'
import { readMemory } from '../../../monitoring/monitor-states/memory.ts'
import { stateValidMs } from '../../../monitoring/monitor-states/schedule.ts'
import type { MonitorState } from '../../../monitoring/monitor-states/state.ts'

/** What a day's bar says: the worst that happened on it; `none` where nobody was watching. */
export const dayKinds = ['up', 'degraded', 'down', 'maintenance', 'paused', 'none'] as const
export type DayKind = (typeof dayKinds)[number]

/** Where the time of a day, or of many, went. */
export interface DayDurations {
  readonly upMs: number
  /** The part of the time up that was slow. */
  readonly degradedMs: number
  readonly downMs: number
  readonly pausedMs: number
  readonly maintenanceMs: number
}

export interface Day extends DayDurations {
  readonly kind: DayKind
}

/** The days of a monitor and what they come to. */
export interface UptimeHistory {
  /** Oldest first; the last one is today. */
  readonly days: readonly Day[]
  readonly upMs: number
  readonly downMs: number
  /** Up time over up and down time; null where nothing is known. */
  readonly uptime: number | null
}

/** What the roll-ups say of a monitor (see `daysOfMonitors` in queries.ts). */
export interface StoredDays {
  readonly count: number
  /** The starts of the first and the last day of which something is known. */
  readonly firstAt: number
  readonly lastAt: number
  /** The starts of all of them where some between those two are missing, else null. */
  readonly known: readonly number[] | null
  /** Days that were not up from end to end. */
  readonly notable: readonly NotableDay[]
}

export interface NotableDay extends Day {
  /** The number of its monitor. */
  readonly num: number
  readonly startAt: number
}

/** What is not in the roll-ups yet is in the monitor's running account. */
export interface LiveState {
  readonly state: MonitorState
  readonly inMaintenance: boolean
  readonly memory: string
  /** The settings as they are stored. */
  readonly rendered: string
}

const emptyDay: Day = { kind: 'none', upMs: 0, degradedMs: 0, downMs: 0, pausedMs: 0, maintenanceMs: 0 }
/** Days that were up from end to end are the most by far, and one stands for all. */
const fullyUpDay: Day = { ...emptyDay, kind: 'up', upMs: DAY_MS }

export function kindOf({ upMs, degradedMs, downMs, pausedMs, maintenanceMs }: DayDurations): DayKind {
  if (downMs > 0) return 'down'
  if (degradedMs > 0) return 'degraded'
  if (maintenanceMs > 0) return 'maintenance'
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
  const days = new Array<Day>(count).fill(emptyDay)
  let { upMs, downMs } = stored === undefined ? emptyDay : pageKey(days, stored, firstDay)
  for (const { hourStart: hour, totals: tally } of openHours(liveState, now)) {
    const at = Math.floor(hour / DAY_MS) - firstDay
    if (at < 0) continue
    days[at] = dayOf(added(days[at] as Day, tally))
    upMs += tally.upMs
    downMs += tally.downMs
  }
  return { days, upMs, downMs, uptime: uptimeRatio({ ...emptyTotals, upMs, downMs }) }
}

/** Puts days in their places, and adds up how long they were up and down. */
function pageKey(days: Day[], { count, firstAt, lastAt, known, notable }: StoredDays, firstDay: number) {
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

interface NotableRow {
  readonly num: number
  readonly start_at: number
  readonly up_ms: number
  readonly degraded_ms: number
  readonly down_ms: number
  readonly paused_ms: number
  readonly maintenance_ms: number
}

export function notableDay(row: NotableRow): NotableDay {
  const { num, start_at: startAt, up_ms: upMs, degraded_ms: degradedMs } = row
  const { down_ms: downMs, paused_ms: pausedMs, maintenance_ms: maintenanceMs } = row
  const kind = kindOf({ upMs, degradedMs, downMs, pausedMs, maintenanceMs })
  return { num, startAt, kind, upMs, degradedMs, downMs, pausedMs, maintenanceMs }
}

function dayOf(spent: DayDurations): Day {
  return { ...spent, kind: kindOf(spent) }
}

/** What has happened since the last hour was closed, told up to this moment without writing it. */
export function openHours({ state, inMaintenance, memory, rendered }: LiveState, now: number): readonly ClosedHour[] {
  const { ledger } = readMemory(memory, now)
  const believedMs = state === 'PAUSED' ? Number.POSITIVE_INFINITY : believedIn(rendered)
  const told = accrue(ledger, now, categoryOf(state, inMaintenance), believedMs)
  return [...told.closed, told.ledger]
}

const MAX_BELIEVED = 2_000
const believed = new Map<string, number>()

/** How long a state is believed by these settings, which are long and stay the same. */
function believedIn(rendered: string): number {
  let ms = believed.get(rendered)
  if (ms === undefined) {
    ms = stateValidMs(parseSettings(rendered))
    if (believed.size >= MAX_BELIEVED) believed.clear()
    believed.set(rendered, ms)
  }
  return ms
}

function added(a: DayDurations, b: DayDurations): DayDurations {
  return {
    upMs: a.upMs + b.upMs,
    degradedMs: a.degradedMs + b.degradedMs,
    downMs: a.downMs + b.downMs,
    pausedMs: a.pausedMs + b.pausedMs,
    maintenanceMs: a.maintenanceMs + b.maintenanceMs,
  }
}
