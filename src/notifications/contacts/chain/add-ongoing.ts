import type { Alert } from '../types.ts'
import type { Entry } from './group-alerts.ts'

/** Adds outages that recent messages reported and that have not ended, after the news. */
export function addOngoing(entries: readonly Entry[], ongoing: readonly Alert[]): readonly Entry[] {
  const added = ongoing.map((alert) => ({
    state: 'still_down' as const,
    alert,
    beganAt: null,
    endedAt: null,
    alerts: [],
  }))
  return [...entries, ...added]
}
