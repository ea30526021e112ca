import type { Case } from './request-cases.ts'

/** Operations that return every field unchanged. */
const always = new Set(['createMonitor', 'updateMonitor', 'createWebhookEndpoint', 'updateWebhookEndpoint'])

/** Operations that normalize values; bodies that are meant to be accepted are in normal form already. */
const ifSound = new Set([
  ...['createStatusPage', 'updateStatusPage', 'createPublishedIncident', 'updatePublishedIncident'],
  ...['createMaintenanceWindow', 'updateMaintenanceWindow'],
])

/** Fields that are never returned, or that follow the status of a published incident. */
const notReturned = new Set(['password', 'message', 'notifySubscribers', 'affectedMonitors', 'selector'])

/** Whether the response to an accepted request must have this field with the value of the request. */
export function isReturnedUnchanged({ operation, intent }: Case, field: string): boolean {
  if (always.has(operation)) return true
  return ifSound.has(operation) && intent === 'sound' && !notReturned.has(field)
}
