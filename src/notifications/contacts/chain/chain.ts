import type { Alert } from '../types.ts'
import { addOngoing } from './add-ongoing.ts'
import { type Entry, groupAlerts } from './group-alerts.ts'
import { holdFlapping } from './hold-flapping.ts'
import { mergeFlapping } from './merge-flapping.ts'
import { takeDue } from './take-due.ts'
import type { AlertContext, AlertStep, EntryContext, EntryStep, PendingAlert } from './types.ts'

/**
 * What a message contains is decided by a chain of pure functions from list to list: the pending alerts of a contact, those for
 * the next message, and the lines of that message. A new rule is a new function.
 */

const postponing: readonly AlertStep[] = [holdFlapping]
const choosing: readonly AlertStep[] = [takeDue]
const arranging: readonly EntryStep[] = [mergeFlapping, addOngoing]

/** When each alert is due, after all rules. */
export function postponeAlerts(alerts: readonly PendingAlert[], context: AlertContext): readonly PendingAlert[] {
  return postponing.reduce((list, step) => step(list, context), alerts)
}

/** The alerts of the next message. */
export function chooseAlerts(alerts: readonly PendingAlert[], context: AlertContext): readonly PendingAlert[] {
  return choosing.reduce((list, step) => step(list, context), alerts)
}

/** The lines of a message with these alerts. */
export function arrangeEntries(alerts: readonly Alert[], context: EntryContext): readonly Entry[] {
  return arranging.reduce((list, step) => step(list, context), groupAlerts(alerts))
}
