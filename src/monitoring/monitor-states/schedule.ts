import type { MonitorOptions } from '../../contract/check-options.ts'
import { MINUTE_MS, SECOND_MS } from '../../lib/clock.ts'
import { nextRun } from '../monitor-options/schedule.ts'
import type { MonitorSettings } from '../monitor-settings/schema.ts'
import type { HeartbeatMemory } from './memory.ts'

export type CheckTiming = Pick<MonitorSettings, 'type' | 'intervalSeconds' | 'expectedPeriodSec' | 'graceSeconds'> &
  Pick<MonitorOptions, 'schedule'>

/** The time between two checks; of a CRON monitor, from a moment to its next heartbeat. */
export function periodMs({ type, intervalSeconds, expectedPeriodSec, schedule }: CheckTiming, from: number): number {
  if (schedule !== undefined) return nextRun(schedule, from) - from
  return (type === 'CRON' ? (expectedPeriodSec ?? intervalSeconds) : intervalSeconds) * SECOND_MS
}

/** When the next heartbeat will be overdue; null before the first one. */
export function heartbeatDeadline(timing: CheckTiming, { lastSuccessAt }: HeartbeatMemory): number | null {
  if (lastSuccessAt === null) return null
  return lastSuccessAt + periodMs(timing, lastSuccessAt) + timing.graceSeconds * SECOND_MS
}

/** When a created, edited or resumed monitor is due: at once; a CRON monitor at its heartbeat deadline. */
export function dueAfterChange(timing: CheckTiming, heartbeats: HeartbeatMemory, now: number): number | null {
  return timing.type === 'CRON' ? heartbeatDeadline(timing, heartbeats) : now
}

/** How long the state that a check found at `from` is valid. Time beyond that was not watched and counts as unknown. */
export function stateValidMs(timing: CheckTiming, from: number): number {
  const graceMs = timing.type === 'CRON' ? timing.graceSeconds * SECOND_MS : 0
  return 2 * periodMs(timing, from) + graceMs + 2 * MINUTE_MS
}

/** Fractional part of the golden ratio: multiples of it modulo 1 spread consecutive integers evenly over [0, 1). */
const GOLDEN = 0.618033988749895

/** When a check began and ended. */
export interface CheckTimes {
  readonly startedAt: number
  readonly endedAt: number
}

/**
 * Due times form a grid of the monitor's interval, shifted by its number, so that monitors created together do not fire
 * together. Returns the first one after a moment.
 */
export function nextOnGrid(num: number, intervalMs: number, after: number): number {
  const phase = Math.floor(((num * GOLDEN) % 1) * intervalMs)
  return (Math.floor((after - phase) / intervalMs) + 1) * intervalMs + phase
}

/**
 * The next due time after a check: the next one on the grid. If that is less than half an interval away, because the check
 * was late, the next check is due halfway to the following point, so that it returns to the grid in two or three checks. So
 * checks begin 0.5 to 1 intervals apart. After a slow check there is a pause of half an interval, too.
 */
export function nextCheckAt(num: number, intervalMs: number, { startedAt, endedAt }: CheckTimes): number {
  const halfMs = Math.ceil(intervalMs / 2)
  const next = nextOnGrid(num, intervalMs, startedAt)
  const due = next - startedAt >= halfMs ? next : Math.ceil((startedAt + next + intervalMs) / 2)
  return Math.max(due, endedAt + halfMs)
}
