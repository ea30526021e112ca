import { accrue, type ClosedHour, emptyTally, spentIn, uptimeOf } from '../checks/ledger.ts'
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
export interface Figures {
  /** Oldest first; the last one is today. */
  readonly days: readonly Day[]
  readonly upMs: number
  readonly downMs: number
  /** Up time over up and down time; null where nothing is known. */
  readonly uptime: number | null
}

/** What the roll-ups say of a monitor (see `daysOfMonitors` in queries.ts). */
export interface StoredDays {
  readonly upMs: number
  /** The starts of the first and the last day of which something is known. */
  readonly firstAt: number
  readonly lastAt: number
  /** The starts of all of them where some between those two are missing, else null. */
  readonly known: readonly number[] | null
  /** Days on which not all time was simply up, as text: `day:up:degraded:down:paused:maintenance,…`. */
  readonly notable: string | null
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
  let downMs = stored === undefined ? 0 : place(days, stored, firstDay)
  let upMs = stored?.upMs ?? 0
  for (const { hour, tally } of openHours(account, now)) {
    const at = Math.floor(hour / DAY_MS) - firstDay
    if (at < 0) continue
    // A day that was ordinary until its account was opened was up until then.
    const before = days[at] === ordinary ? { ...ordinary, upMs: hour % DAY_MS } : (days[at] as Day)
    days[at] = dayOf(added(before, tally))
    upMs += tally.upMs
    downMs += tally.downMs
  }
  return { days, upMs, downMs, uptime: uptimeOf({ ...emptyTally, upMs, downMs }) }
}

/** Days of which nothing else is said were without trouble. Says how long the others were down. */
function place(days: Day[], { firstAt, lastAt, known, notable }: StoredDays, firstDay: number): number {
  if (known === null) days.fill(ordinary, firstAt / DAY_MS - firstDay, lastAt / DAY_MS - firstDay + 1)
  else for (const at of known) days[at / DAY_MS - firstDay] = ordinary
  let allDownMs = 0
  for (const text of notable?.split(',') ?? []) {
    const [day = 0, upMs = 0, degradedMs = 0, downMs = 0, pausedMs = 0, maintenanceMs = 0] = numbersIn(text)
    days[day - firstDay] = dayOf({ upMs, degradedMs, downMs, pausedMs, maintenanceMs })
    allDownMs += downMs
  }
  return allDownMs
}

function numbersIn(text: string): number[] {
  const numbers: number[] = []
  for (let at = 0, colon = 0; colon !== -1; at = colon + 1) {
    colon = text.indexOf(':', at)
    numbers.push(Number(colon === -1 ? text.slice(at) : text.slice(at, colon)))
  }
  return numbers
}

function dayOf(spent: Spent): Day {
  return { ...spent, kind: kindOf(spent) }
}

/** What has happened since the last hour was closed, told up to this moment without writing it. */
export function openHours({ state, inMaintenance, memory, shown }: Account, now: number): readonly ClosedHour[] {
  const { ledger } = readMemory(memory, now)
  const believedMs = state === 'PAUSED' ? Number.POSITIVE_INFINITY : believedIn(shown)
  const told = accrue(ledger, now, spentIn(state, inMaintenance), believedMs)
  return [...told.closed, told.ledger]
}

const MOST_BELIEVED = 2_000
const believed = new Map<string, number>()

/** How long a state is believed by these settings, which are long and stay the same. */
function believedIn(shown: string): number {
  let ms = believed.get(shown)
  if (ms === undefined) {
    ms = believedMs(settingsIn(shown))
    if (believed.size >= MOST_BELIEVED) believed.clear()
    believed.set(shown, ms)
  }
  return ms
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
