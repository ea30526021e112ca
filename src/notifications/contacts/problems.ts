import type { AlertKind } from './types.ts'

interface Concerning {
  readonly kind: AlertKind
  readonly monitorId: string | null
  readonly incidentId: string | null
}

/** The trouble that begins with a change: it has a name by which its end finds it. Null where there is no end to come. */
export function problemStartedBy({ kind, monitorId, incidentId }: Concerning): string | null {
  if (kind === 'opened') return incidentId ?? `down ${monitorId}`
  return kind === 'degraded' ? `degraded ${monitorId}` : null
}

/**
 * The troubles that a change ends, its own first. A monitor that was degraded, went down and is up again is not degraded
 * any more either, and nobody says so apart.
 */
export function problemsEndedBy({ kind, monitorId, incidentId }: Concerning): readonly string[] {
  const degraded = `degraded ${monitorId}`
  if (kind === 'resolved') return [incidentId ?? `down ${monitorId}`, degraded]
  return kind === 'recovered' ? [degraded] : []
}
