import type { AlertKind } from './types.ts'

interface Change {
  readonly kind: AlertKind
  readonly monitorId: string | null
  readonly incidentId: string | null
}

/** The key of the problem (outage or degradation) that a change starts, or null. The change that ends it has the same key. */
export function problemStartedBy({ kind, monitorId, incidentId }: Change): string | null {
  if (kind === 'opened') return incidentId ?? `down ${monitorId}`
  return kind === 'degraded' ? `degraded ${monitorId}` : null
}

/**
 * The keys of the problems that a change ends, its own first. The end of an outage also ends an earlier degradation of
 * the monitor, for which there is no `recovered` change of its own.
 */
export function problemsEndedBy({ kind, monitorId, incidentId }: Change): readonly string[] {
  const degraded = `degraded ${monitorId}`
  if (kind === 'resolved') return [incidentId ?? `down ${monitorId}`, degraded]
  return kind === 'recovered' ? [degraded] : []
}
