import type { Flapping } from '../flapping.ts'
import type { Alert } from '../types.ts'
import { type Entry, groupAlerts } from './group-alerts.ts'
import { mergeFlapping } from './merge-flapping.ts'

/**
 * What a message contains is decided by a chain of pure functions from list to list: the pending alerts of a contact, those for
 * the next message, and the lines of that message. A new rule is a new function.
 */

/** An alert that is not sent yet. */
export interface PendingAlert extends Alert {
  readonly num: number
  readonly dueAt: number
  /** Attempts that failed. */
  readonly attempts: number
}

/** Leaves out alerts that wait. A message that failed is repeated as a whole, also if only some of its alerts are due. */
export function takeDue(alerts: readonly PendingAlert[], now: number): readonly PendingAlert[] {
  return alerts.filter(({ messageId, dueAt, at }) => messageId !== '' || dueAt === at || dueAt <= now)
}

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

interface EntryContext {
  /** The monitors that flap. */
  readonly flapping: readonly Flapping[]
  /** Outages that recent messages reported and that have not ended. */
  readonly ongoing: readonly Alert[]
}

/** The lines of a message with these alerts. */
export function arrangeEntries(alerts: readonly Alert[], { flapping, ongoing }: EntryContext): readonly Entry[] {
  return addOngoing(mergeFlapping(groupAlerts(alerts), flapping), ongoing)
}
