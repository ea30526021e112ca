import type { Case } from './cases.ts'

/** Operations that return every field as it was sent. */
const always = new Set(['createMonitor', 'updateMonitor', 'createWebhookEndpoint', 'updateWebhookEndpoint'])

/** Operations that write down in one way what can be said in several; what is made to be accepted is said in that way. */
const ifSound = new Set([
  ...['createStatusPage', 'updateStatusPage', 'createPublishedIncident', 'updatePublishedIncident'],
  ...['createMaintenanceWindow', 'updateMaintenanceWindow'],
])

/** Fields that are never returned, or that follow the status of a published incident. */
const notReturned = new Set(['password', 'message', 'notifySubscribers', 'affectedMonitors'])

/** Whether the answer to an accepted request must have this field just as the request had it. */
export function isKept({ operation, intent }: Case, field: string): boolean {
  if (always.has(operation)) return true
  return ifSound.has(operation) && intent === 'sound' && !notReturned.has(field)
}
