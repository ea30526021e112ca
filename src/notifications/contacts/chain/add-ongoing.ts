import type { EntryStep } from './types.ts'

/** Adds outages that recent messages reported and that have not ended, after the news. */
export const addOngoing: EntryStep = (entries, { ongoing }) => [
  ...entries,
  ...ongoing.map((alert) => ({ state: 'still_down' as const, alert, beganAt: null, endedAt: null, alerts: [] })),
]
