import type { PendingAlert } from '../types.ts'

/** Leaves out alerts that wait. A message that failed is repeated as a whole, also if only some of its alerts are due. */
export function takeDue(alerts: readonly PendingAlert[], now: number): readonly PendingAlert[] {
  return alerts.filter(({ messageId, dueAt, at }) => messageId !== '' || dueAt === at || dueAt <= now)
}
