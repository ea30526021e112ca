import type { PublishedIncidentTable } from '../../storage/schema/status-pages.ts'
import type { Affected } from './schema.ts'

type PublishedStatus = PublishedIncidentTable['status']

/** The status, affected monitors and duration of a published incident. */
export interface IncidentProgress {
  readonly status: PublishedStatus
  readonly affected: readonly Affected[]
  readonly startedAt: number
  /** Set if and only if the status is RESOLVED. */
  readonly resolvedAt: number | null
}

/**
 * The progress after a change. RESOLVED makes all affected monitors OPERATIONAL and keeps the time at which the incident was
 * first resolved (`resolvedBefore`), which is never before its start. Any other status reopens it.
 */
export function progressAfter(
  change: Omit<IncidentProgress, 'resolvedAt'>,
  resolvedBefore: number | null,
  now: number,
): IncidentProgress {
  const { status, affected, startedAt } = change
  if (status !== 'RESOLVED') return { status, affected, startedAt, resolvedAt: null }
  return {
    status,
    affected: affected.map(({ monitorId }) => ({ monitorId, status: 'OPERATIONAL' })),
    startedAt,
    resolvedAt: resolvedBefore ?? Math.max(now, startedAt),
  }
}
