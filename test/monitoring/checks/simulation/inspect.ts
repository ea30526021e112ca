import assert from 'node:assert/strict'
import { DAY_MS, HOUR_MS } from '../../../../src/lib/clock.ts'
import { readMemory } from '../../../../src/monitoring/monitor-states/memory.ts'
import { totalsOf } from '../../../../src/monitoring/monitor-states/rollups.ts'
import type { Hour, ModelMonitor } from './model.ts'
import type { Store } from './store.ts'

/** After a node got into trouble, another one checks its monitors within this time. */
const TAKEOVER_MS = 15_000
/** A node looks up to half a second late. If its clock is a little behind, the check begins at its next look. */
const TICKS_MS = 1_100
/** By how much the clock of a node may differ from the database's: it is measured over a network. */
export const CLOCK_ERROR_MS = 100

/** Holds after every event, for the monitor that the event was about. */
export function inspect(store: Store, monitor: ModelMonitor): void {
  const row = store.stateOf(monitor.num)
  assert.ok(row !== undefined, 'the monitor has a state')
  assert.equal(row.state, monitor.state, 'the state is what the results say')
  assert.equal(row.state === 'PAUSED' && row.next_check_at !== null, false, 'a paused monitor is never due')
  const waits = row.state === 'PAUSED' || (monitor.isCron && monitor.deadline === null)
  if (!waits)
    assert.notEqual(row.next_check_at, null, 'it is due at some time, unless it waits for its first heartbeat')
  const open = store.openIncidentsOf(monitor.num)
  assert.ok(open.length <= 1, 'never two open incidents')
  // The last result failed, and not all failures since the last success were in maintenance.
  assert.equal(open.length === 1, monitor.hasIncident, 'an incident is open if and only if it should be')
  assert.equal(row.open_incident, open[0]?.id ?? null, 'the state names the open incident')
  if (open[0] !== undefined) assert.equal(open[0].failed_checks, monitor.failed, 'failed checks are counted')
}

/**
 * While a node is running, every check begins within a second after it is due, or within 15 s if a node got into trouble
 * meanwhile. So no monitor stays unchecked for more than its interval and 15 s.
 */
export function inspectTiming(monitor: ModelMonitor, checkMs: number): void {
  if (monitor.state === 'PAUSED') return
  const { setbacks, waitingMs, uncheckedMs, overdueMs, periodMs, isCron, recheckWaitMs, deadline } = monitor
  const troubleMs = TICKS_MS + setbacks * TAKEOVER_MS
  assert.ok(waitingMs <= troubleMs, `due for ${waitingMs} ms, ${troubleMs} allowed`)
  const endMs = checkMs + troubleMs + setbacks * checkMs
  // The next check is due an interval after the last one at the latest.
  if (!isCron) assert.ok(uncheckedMs <= periodMs + endMs, `unchecked for ${uncheckedMs} ms`)
  else assert.ok(overdueMs <= endMs, `overdue unnoticed for ${overdueMs} ms, ${endMs} allowed`)
  if (recheckWaitMs === null || (isCron && deadline === null)) return
  // When maintenance ends, the monitor is checked at once.
  assert.ok(recheckWaitMs <= endMs + TICKS_MS, `unchecked for ${recheckWaitMs} ms after maintenance`)
}

/** A slot is checked once: two scheduled checks are half an interval apart, unless a change made the monitor due between. */
export function inspectSpacing(monitor: ModelMonitor, at: number): void {
  const { lastResultAt, periodMs, isCron } = monitor
  if (lastResultAt === null || isCron) return
  const apartMs = at - lastResultAt
  assert.ok(apartMs >= periodMs / 2 - CLOCK_ERROR_MS, `checked twice within ${apartMs} ms of ${periodMs} ms`)
}

/** Holds at the end of a simulation. */
export function inspectHistory(store: Store, monitor: ModelMonitor): void {
  inspect(store, monitor)
  const { num } = monitor
  const row = store.stateOf(num)
  const { ledger } = readMemory(row?.memory ?? '', 0)
  assert.equal(ledger.accountedUntil, monitor.accountedUntil, 'the ledger ends at the last event')
  const hours = new Map(store.rollups('hours', num).map((stored) => [stored.start_at, hourOf(totalsOf(stored))]))
  assert.equal(hours.has(ledger.hourStart), false, 'the open hour is in no roll-up')
  hours.set(ledger.hourStart, hourOf(ledger.totals))
  assert.deepEqual(sorted(hours), sorted(monitor.hours), 'uptime adds up, hour by hour')

  const raw = new Map<number, { checks: number; failures: number }>()
  for (const { at, state } of store.resultsOf(num)) {
    if (state === 'INCONCLUSIVE') continue
    const hour = Math.floor(at / HOUR_MS) * HOUR_MS
    const { checks, failures } = raw.get(hour) ?? { checks: 0, failures: 0 }
    raw.set(hour, { checks: checks + 1, failures: failures + (state === 'DOWN' ? 1 : 0) })
  }
  for (const [hour, { checks, failures }] of hours) {
    assert.deepEqual(raw.get(hour) ?? { checks: 0, failures: 0 }, { checks, failures }, 'roll-ups equal raw results')
    raw.delete(hour)
  }
  assert.equal(raw.size, 0, 'no raw result is without a roll-up')
  inspectDays(store, num, hours, ledger.hourStart)
  inspectIncidents(store, monitor)
}

function inspectDays(store: Store, num: number, hours: ReadonlyMap<number, Hour>, open: number): void {
  const days = new Map<number, Hour>()
  for (const [start, hour] of hours) {
    if (start === open) continue
    const day = Math.floor(start / DAY_MS) * DAY_MS
    const sum = days.get(day)
    days.set(day, sum === undefined ? { ...hour } : added(sum, hour))
  }
  const stored = new Map(store.rollups('days', num).map((row) => [row.start_at, hourOf(totalsOf(row))]))
  assert.deepEqual(sorted(stored), sorted(days), 'a day is the sum of its hours')
}

/** Each incident begins with the first try of a check that failed outside maintenance and ends with the first success after it. */
function inspectIncidents(store: Store, monitor: ModelMonitor): void {
  const incidents = store.incidentsOf(monitor.num)
  assert.equal(incidents.length, monitor.incidents, 'as many incidents as times it went down')
  const expected: { started: number; resolved: number | null }[] = []
  for (const { at, since, failed, covered } of monitor.results) {
    const last = expected.at(-1)
    const isNew = failed && (last === undefined || last.resolved !== null)
    if (isNew && !covered) expected.push({ started: since, resolved: null })
    else if (!failed && last?.resolved === null) last.resolved = at
  }
  assert.deepEqual(
    incidents.map((incident) => ({ started: incident.started_at, resolved: incident.resolved_at })),
    expected,
  )
}

function hourOf(totals: ReturnType<typeof totalsOf>): Hour {
  const { upMs: up, degradedMs: degraded, downMs: down, pausedMs: paused, maintenanceMs, checks, failures } = totals
  return { up, degraded, down, paused, maintenance: maintenanceMs, checks, failures }
}

function added(a: Hour, b: Hour): Hour {
  const sum = { ...a }
  for (const key of Object.keys(a) as (keyof Hour)[]) sum[key] += b[key]
  return sum
}

/** Hours that are not empty, in order. */
function sorted(hours: ReadonlyMap<number, Hour>): [number, Hour][] {
  return [...hours].filter(([, hour]) => Object.values(hour).some((value) => value > 0)).toSorted(([a], [b]) => a - b)
}
