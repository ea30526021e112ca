import { SECOND_MS } from '../../lib/clock.ts'
import type { MonitorSettings } from '../monitor-settings/schema.ts'
import type { Beats } from './memory.ts'

export type Rhythm = Pick<MonitorSettings, 'type' | 'intervalSeconds' | 'expectedPeriodSec' | 'graceSeconds'>

/** The time between two looks at a monitor, or between two heartbeats of it. */
export function periodMs({ type, intervalSeconds, expectedPeriodSec }: Rhythm): number {
  return (type === 'CRON' ? (expectedPeriodSec ?? intervalSeconds) : intervalSeconds) * SECOND_MS
}

/** When a heartbeat will be overdue; null before the first one, for which there is no hurry. */
export function deadlineOf(settings: Rhythm, { lastSuccessAt }: Beats): number | null {
  return lastSuccessAt === null ? null : lastSuccessAt + periodMs(settings) + settings.graceSeconds * SECOND_MS
}

/** When a monitor that was just made, changed or resumed is due: at once, or when its heartbeat will be overdue. */
export function dueAfterChange(settings: Rhythm, beats: Beats, now: number): number | null {
  return settings.type === 'CRON' ? deadlineOf(settings, beats) : now
}
