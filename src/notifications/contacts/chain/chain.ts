import type { Flapping } from '../flapping.ts'
import type { Alert, PendingAlert } from '../types.ts'
import { type Entry, groupAlerts } from './group-alerts.ts'
import { mergeFlapping } from './merge-flapping.ts'

/**
 * What a message contains is decided by a chain of pure functions from list to list: the pending alerts of a contact, those for
 * the next message (`holdFlapping`, `takeDue`), and the lines of that message. A new rule is a new function.
 */

/** Leaves out alerts that wait. A message that failed is repeated as a whole, also if only some of its alerts are due. */
export function takeDue(alerts: readonly PendingAlert[], now: number): readonly PendingAlert[] {
  return alerts.filter(({ messageId, dueAt, at }) => messageId !== '' || dueAt === at || dueAt <= now)
}

interface EntryContext {
  /** The monitors that flap. */
  readonly flapping: readonly Flapping[]
  /** Outages that recent messages reported and that have not ended: listed after the news. */
  readonly ongoing: readonly Alert[]
}

/** The lines of a message with these alerts. */
export function arrangeEntries(alerts: readonly Alert[], { flapping, ongoing }: EntryContext): readonly Entry[] {
  const stillDown = ongoing.map((alert) => ({
    state: 'still_down' as const,
    alert,
    beganAt: null,
    endedAt: null,
    alerts: [],
  }))
  return [...mergeFlapping(groupAlerts(alerts), flapping), ...stillDown]
}
