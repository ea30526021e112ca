import { accrue, emptyTally, spentIn, type Tally, uptimeOf } from '../checks/ledger.ts'
import { readMemory } from '../checks/memory.ts'
import { believedMs } from '../checks/standing.ts'
import { DAY_MS } from '../lib/clock.ts'
import { settingsIn } from '../monitors/render.ts'
import type { MonitorState } from '../monitors/schema.ts'

/** What a day's bar says: the worst that happened on it; `none` where nobody was watching. */
export const dayKinds = ['up', 'degraded', 'down', 'maintenance', 'paused', 'none'] as const
export type DayKind = (typeof dayKinds)[number]

/** Where the time of a day, or of many, went. */
export interface Spent {
  readonly upMs: number
  /** The part of the time up that was slow. */
  readonly degradedMs: number
  readonly downMs: number
  readonly pausedMs: number
  readonly maintenanceMs: number
}

export interface Day extends Spent {
  readonly kind: DayKind
}

/** The days of a monitor and what they come to. */
export interface Figures extends Spent {
  /** Oldest first; the last one is today. */
  readonly days: readonly Day[]
  /** Up time over up and down time; null where nothing is known. */
  readonly uptime: number | null
}

/** What the roll-ups say of a monitor: sums, and its days as text (see `daysOfMonitors` in queries.ts). */
export interface StoredDays {
  readonly up_ms: number
  readonly degraded_ms: number
  readonly down_ms: number
  readonly paused_ms: number
  readonly maintenance_ms: number
  readonly days: string
}

/** What is not in the roll-ups yet is in the monitor's running account. */
export interface Account {
  readonly state: MonitorState
  readonly inMaintenance: boolean
  readonly memory: string
  /** The settings as they are stored. */
  readonly shown: string
}

const nothing: Day = { kind: 'none', upMs: 0, degradedMs: 0, downMs: 0, pausedMs: 0, maintenanceMs: 0 }
/** Days without trouble are the most by far, and one stands for all: what they add up to is in the sums. */
const ordinary: Day = { ...nothing, kind: 'up' }

export function kindOf({ upMs, degradedMs, downMs, pausedMs, maintenanceMs }: Spent): DayKind {
  if (downMs > 0) return 'down'
  if (degradedMs > 0) return 'degraded'
  if (maintenanceMs > 0) return 'maintenance'
  if (pausedMs > upMs) return 'paused'
  return upMs > 0 ? 'up' : 'none'
}

export function firstDayOf(now: number, count: number): number {
  return Math.floor(now / DAY_MS) - (count - 1)
}

export function figuresOf(stored: StoredDays | undefined, account: Account, count: number, now: number): Figures {
  const firstDay = firstDayOf(now, count)
  const days = new Array<Day>(count).fill(nothing)
  const sum = { upMs: 0, degradedMs: 0, downMs: 0, pausedMs: 0, maintenanceMs: 0 }
  if (stored !== undefined) {
    sum.upMs = stored.up_ms
    sum.degradedMs = stored.degraded_ms
    sum.downMs = stored.down_ms
    sum.pausedMs = stored.paused_ms
    sum.maintenanceMs = stored.maintenance_ms
    for (const text of stored.days.split(',')) place(days, text, firstDay)
  }
  for (const { day, spent } of openDays(account, now)) {
    if (day < firstDay) continue
    const total = added(days[day - firstDay] as Day, spent)
    days[day - firstDay] = { ...total, kind: kindOf(total) }
    Object.assign(sum, added(sum, spent))
  }
  return { ...sum, days, uptime: uptimeOf({ ...emptyTally, ...sum }) }
}

/** A day's number alone was a day without trouble; otherwise where its time went stands behind it. */
function place(days: Day[], text: string, firstDay: number): void {
  if (!text.includes(':')) {
    days[Number(text) - firstDay] = ordinary
    return
  }
  const [day = 0, upMs = 0, degradedMs = 0, downMs = 0, pausedMs = 0, maintenanceMs = 0] = text.split(':').map(Number)
  const spent = { upMs, degradedMs, downMs, pausedMs, maintenanceMs }
  days[day - firstDay] = { ...spent, kind: kindOf(spent) }
}

/** What has happened since the last hour was closed, told up to this moment. */
function openDays({ state, inMaintenance, memory, shown }: Account, now: number): { day: number; spent: Spent }[] {
  const { ledger } = readMemory(memory, now)
  const believed = state === 'PAUSED' ? Number.POSITIVE_INFINITY : believedMs(settingsIn(shown))
  const told = accrue(ledger, now, spentIn(state, inMaintenance), believed)
  const hours = [...told.closed, told.ledger] as readonly { readonly hour: number; readonly tally: Tally }[]
  return hours.map(({ hour, tally }) => ({ day: Math.floor(hour / DAY_MS), spent: tally }))
}

function added(a: Spent, b: Spent): Spent {
  return {
    upMs: a.upMs + b.upMs,
    degradedMs: a.degradedMs + b.degradedMs,
    downMs: a.downMs + b.downMs,
    pausedMs: a.pausedMs + b.pausedMs,
    maintenanceMs: a.maintenanceMs + b.maintenanceMs,
  }
}
