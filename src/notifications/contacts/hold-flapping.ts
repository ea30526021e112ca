import { MINUTE_MS } from '../../lib/clock.ts'
import { FLAPPING_COUNT, type Flapping, flappingKinds } from './flapping.ts'
import type { Alert } from './types.ts'

/** A contact gets at most one message about a flapping monitor in this time. */
const SPACING_MS = 5 * MINUTE_MS

export interface HeldAlert<A> {
  readonly alert: A
  readonly until: number
}

/** The alerts that wait because the contact just got a message about their monitor, which flaps. */
export function holdFlapping<A extends Pick<Alert, 'kind' | 'monitorId'>>(
  alerts: readonly A[],
  flapping: readonly Flapping[],
  now: number,
): readonly HeldAlert<A>[] {
  const byMonitor = Map.groupBy(
    alerts.filter(({ kind }) => flappingKinds.includes(kind)),
    ({ monitorId }) => monitorId,
  )
  return flapping.flatMap(({ monitorId, outages, lastMessageAt }) => {
    const until = (lastMessageAt ?? 0) + SPACING_MS
    const own = byMonitor.get(monitorId) ?? []
    // A degradation that flaps does not delay an outage.
    const isOutage = outages < FLAPPING_COUNT && own.some(({ kind }) => kind === 'opened')
    return until <= now || isOutage ? [] : own.map((alert) => ({ alert, until }))
  })
}
