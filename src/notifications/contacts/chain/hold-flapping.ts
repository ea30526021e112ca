import { FLAPPING_COUNT, type Flapping, flappingKinds, SPACING_MS } from '../flapping.ts'
import type { PendingAlert } from '../types.ts'

/** Postpones alerts of flapping monitors that the contact just got a message about. */
export function holdFlapping(
  alerts: readonly PendingAlert[],
  flapping: readonly Flapping[],
  now: number,
): readonly PendingAlert[] {
  const heldUntil = new Map<string | null, number>()
  for (const { monitorId, outages, lastMessageAt } of flapping) {
    const until = (lastMessageAt ?? 0) + SPACING_MS
    // A degradation that flaps does not delay an outage.
    const isOutage =
      outages < FLAPPING_COUNT &&
      alerts.some((one) => one.monitorId === monitorId && one.messageId === '' && one.kind === 'opened')
    if (until > now && !isOutage) heldUntil.set(monitorId, until)
  }
  return alerts.map((alert) => {
    const isFirstAttempt = alert.messageId === '' && flappingKinds.includes(alert.kind)
    const dueAt = isFirstAttempt ? heldUntil.get(alert.monitorId) : undefined
    return dueAt === undefined ? alert : { ...alert, dueAt }
  })
}
