import type { Flapping } from '../flapping.ts'
import type { Alert } from '../types.ts'
import { addOngoing } from './add-ongoing.ts'
import { type Entry, groupAlerts } from './group-alerts.ts'
import { mergeFlapping } from './merge-flapping.ts'

/**
 * What a message contains is decided by a chain of pure functions from list to list: the pending alerts of a contact, those for
 * the next message (`holdFlapping`, `takeDue`), and the lines of that message. A new rule is a new function.
 */

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
