import type { AlertStep } from './types.ts'

/** Leaves out alerts that wait. A message that failed is repeated as a whole, also if only some of its alerts are due. */
export const takeDue: AlertStep = (alerts, { now }) =>
  alerts.filter(({ messageId, dueAt, at }) => messageId !== '' || dueAt === at || dueAt <= now)
