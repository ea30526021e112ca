import { MINUTE_MS, SECOND_MS } from '../../lib/clock.ts'
import type { MonitorSettings } from '../monitor-settings/schema.ts'
import type { HeartbeatMemory } from './memory.ts'

export type CheckTiming = Pick<MonitorSettings, 'type' | 'intervalSeconds' | 'expectedPeriodSec' | 'graceSeconds'>

/** The time between two checks, or between two heartbeats of a CRON monitor. */
export function periodMs({ type, intervalSeconds, expectedPeriodSec }: CheckTiming): number {
  return (type === 'CRON' ? (expectedPeriodSec ?? intervalSeconds) : intervalSeconds) * SECOND_MS
}

/** When the next heartbeat will be overdue; null before the first one. */
export function heartbeatDeadline(timing: CheckTiming, { lastSuccessAt }: HeartbeatMemory): number | null {
  return lastSuccessAt === null ? null : lastSuccessAt + periodMs(timing) + timing.graceSeconds * SECOND_MS
}

/** When a created, edited or resumed monitor is due: at once; a CRON monitor at its heartbeat deadline. */
export function dueAfterChange(timing: CheckTiming, heartbeats: HeartbeatMemory, now: number): number | null {
  return timing.type === 'CRON' ? heartbeatDeadline(timing, heartbeats) : now
}

/** How long a state is valid after its check. Time beyond that was not watched and counts as unknown. */
export function stateValidMs(timing: CheckTiming): number {
  const graceMs = timing.type === 'CRON' ? timing.graceSeconds * SECOND_MS : 0
  return 2 * periodMs(timing) + graceMs + 2 * MINUTE_MS
}

/** Fractional part of the golden ratio: multiples of it modulo 1 spread consecutive integers evenly over [0, 1). */
const GOLDEN = 0.618033988749895

/**
 * Groups of 8 consecutive monitors are due 5 ms apart. Their rows share a few database pages, and a page that several
 * results share is written once: this takes a third off the cost of writing a result.
 */
const NEIGHBOURS = 8
const APART_MS = 5

/**
 * The next due time after a check that ended at `now`. Due times form a grid of the monitor's interval, shifted by its
 * number, so that monitors created together do not fire together. The next point is 0.5 to 1.5 intervals away; missed
 * points are skipped.
 */
export function nextCheckAt(num: number, intervalMs: number, now: number): number {
  const group = Math.floor(num / NEIGHBOURS)
  const phase = Math.floor(((group * GOLDEN) % 1) * intervalMs) + (num % NEIGHBOURS) * APART_MS
  const earliest = now + intervalMs / 2
  return Math.ceil((earliest - phase) / intervalMs) * intervalMs + phase
}
