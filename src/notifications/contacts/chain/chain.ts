import type { Flapping } from '../flapping.ts'
import type { Alert } from '../types.ts'
import { type Entry, groupAlerts } from './group-alerts.ts'
import { markPast } from './mark-past.ts'
import { mergeFlapping } from './merge-flapping.ts'

/**
 * What a message contains is decided by a chain of pure functions from list to list: the pending alerts of a contact, those for
 * the next message (`holdFlapping`, `takeDue`), and the entries of that message. A new rule is a new function.
 */

/** The entries of a message with these alerts. */
export function arrangeEntries(alerts: readonly Alert[], flapping: readonly Flapping[]): readonly Entry[] {
  return markPast(mergeFlapping(groupAlerts(alerts), flapping))
}
