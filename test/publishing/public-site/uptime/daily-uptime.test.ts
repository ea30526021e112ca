import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../src/lib/clock.ts'
import { memoryText, readMemory } from '../../../../src/monitoring/monitor-states/memory.ts'
import {
  type DayDurations,
  dayAt,
  kindOf,
  type LiveState,
  type NotableDay,
  type StoredDays,
  uptimeHistoryOf,
} from '../../../../src/publishing/public-site/uptime/daily-uptime.ts'

const today = Date.UTC(2026, 5, 10)
const now = today + 2 * HOUR_MS

/** Of a monitor that is `ageMs` old. */
function account(state: LiveState['state'], since: number, inMaintenance = false, ageMs = 0): LiveState {
  const memory = memoryText({ ...readMemory('{}', since) })
  const timing = {
    type: 'HTTP',
    interval_seconds: 300,
    expected_period_seconds: null,
    grace_seconds: 60,
    options: null,
  }
  return { state, inMaintenance, memory, created_at: now - ageMs, ...timing }
}

const stored = (days: Partial<StoredDays>): StoredDays => ({
  count: 3,
  firstAt: today - 3 * DAY_MS,
  lastAt: today - DAY_MS,
  known: null,
  notable: [],
  ...days,
})
const kinds = (figures: { days: readonly { kind: string }[] }): string => figures.days.map(({ kind }) => kind).join(' ')

const idle = { upMs: 0, degradedMs: 0, downMs: 0, pausedMs: 0, maintenanceMs: 0 }

function notable(daysAgo: number, spent: Partial<DayDurations>): NotableDay {
  const all = { ...idle, ...spent }
  return { num: 1, startAt: today - daysAgo * DAY_MS, ...all }
}

test('a day has its worst kind; only a mostly paused day is paused', () => {
  assert.equal(kindOf(idle), 'none')
  assert.equal(kindOf({ ...idle, upMs: 1 }), 'up')
  assert.equal(kindOf({ ...idle, upMs: 5, pausedMs: 4 }), 'up')
  assert.equal(kindOf({ ...idle, upMs: 4, pausedMs: 5 }), 'paused')
  assert.equal(kindOf({ ...idle, upMs: 4, pausedMs: 5, maintenanceMs: 1 }), 'maintenance')
  assert.equal(kindOf({ ...idle, upMs: 4, maintenanceMs: 9, degradedMs: 1 }), 'degraded')
  assert.equal(kindOf({ ...idle, upMs: 4, degradedMs: 9, downMs: 1 }), 'down')
})

test('days before the first have no data, and today comes from the live state', () => {
  const figures = uptimeHistoryOf(stored({}), account('UP', now - MINUTE_MS), 7, now)
  assert.equal(kinds(figures), 'none none none up up up up')
  assert.deepEqual([figures.upMs, figures.downMs, figures.uptime], [3 * DAY_MS + MINUTE_MS, 0, 1])
})

test('notable days have their durations and count for uptime', () => {
  const days = [
    notable(2, { upMs: 86_340_000, downMs: 60_000 }),
    notable(1, { upMs: 82_800_000, maintenanceMs: 3_600_000 }),
  ]
  const upMs = DAY_MS + 86_340_000 + 82_800_000
  const figures = uptimeHistoryOf(stored({ notable: days }), account('DOWN', now - 30_000), 5, now)
  assert.equal(kinds(figures), 'none up down maintenance down')
  assert.equal(figures.downMs, 90_000)
  assert.equal(figures.uptime, upMs / (upMs + 90_000))
  assert.equal(figures.days[2]?.downMs, 60_000)
})

test('time in maintenance is neither up nor down', () => {
  const figures = uptimeHistoryOf(undefined, account('DOWN', now - MINUTE_MS, true), 3, now)
  assert.equal(kinds(figures), 'none none maintenance')
  assert.equal(figures.uptime, null)
})

test('a state expires: time without checks has no data', () => {
  const figures = uptimeHistoryOf(undefined, account('UP', now - 3 * DAY_MS), 5, now)
  assert.equal(kinds(figures), 'none up none none none')
  assert.ok(figures.upMs < HOUR_MS)
})

test('days since the creation of a monitor without checks are not monitored, and neither is a day with a gap', () => {
  const gap = notable(2, { upMs: 18 * HOUR_MS })
  const restart = notable(1, { upMs: DAY_MS - 4 * MINUTE_MS })
  const days = stored({ firstAt: gap.startAt, count: 2, notable: [gap, restart] })
  const live = account('UP', now, false, 3 * DAY_MS)
  const figures = uptimeHistoryOf(days, live, 6, now)
  assert.equal(kinds(figures), 'none none unknown unknown up unknown')
  assert.deepEqual(
    figures.days.map(({ unknownMs }) => unknownMs / HOUR_MS),
    [0, 0, 22, 6, 4 / 60, 2],
    'the first day began two hours after midnight',
  )
  assert.equal(figures.uptime, 1, 'unknown time is neither up nor down')
  assert.deepEqual(dayAt(undefined, live, today - 3 * DAY_MS, now), figures.days[2])
})

test('a pause that began days ago fills the days since', () => {
  const since = today - 2 * DAY_MS + 20 * HOUR_MS
  const began = notable(2, { upMs: 20 * HOUR_MS })
  const days = stored({ lastAt: today - 2 * DAY_MS, count: 2, notable: [began] })
  const figures = uptimeHistoryOf(days, account('PAUSED', since), 5, now)
  assert.equal(kinds(figures), 'none up up paused paused', 'the day it began on was up for 20 of its hours')
})

test('without any data uptime is null', () => {
  assert.equal(uptimeHistoryOf(undefined, account('PENDING', now), 90, now).uptime, null)
})
