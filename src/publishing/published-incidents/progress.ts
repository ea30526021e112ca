import type { PublishedIncidentTable } from '../../storage/schema-statuspages.ts'
import type { Affected } from './schema.ts'

export type PublishedStatus = PublishedIncidentTable['status']

/** Where a published incident has got to. */
export interface Course {
  readonly status: PublishedStatus
  readonly affected: readonly Affected[]
  readonly startedAt: number
  /** Set exactly while the status is RESOLVED. */
  readonly resolvedAt: number | null
}

/**
 * The course after a change. RESOLVED ends it: every affected monitor is operational again, whatever was said of it. It
 * ends at the moment it is first called so, and never before it began. Any other status opens it again.
 */
export function courseOf(to: Omit<Course, 'resolvedAt'>, endedAt: number | null, now: number): Course {
  const { status, affected, startedAt } = to
  if (status !== 'RESOLVED') return { status, affected, startedAt, resolvedAt: null }
  return {
    status,
    affected: affected.map(({ monitorId }) => ({ monitorId, status: 'OPERATIONAL' })),
    startedAt,
    resolvedAt: endedAt ?? Math.max(now, startedAt),
  }
}
