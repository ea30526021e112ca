import type { MonitorState } from '../../monitoring/monitor-settings/schema.ts'
import type { AffectedStatus } from '../../storage/schema-statuspages.ts'

/** From good to bad. */
export const overallStatuses = ['OPERATIONAL', 'MAINTENANCE', 'DEGRADED', 'PARTIAL_OUTAGE', 'MAJOR_OUTAGE'] as const
export type OverallStatus = (typeof overallStatuses)[number]

/** What is known of a monitor that a page shows. */
export interface Shown {
  readonly state: MonitorState
  /** Whether a maintenance window that this page tells of covers it now. */
  readonly inMaintenance: boolean
  /** What active published incidents of this page say of it. */
  readonly published: readonly AffectedStatus[]
}

/**
 * How a monitor stands on a page. What its checks found, and what people published about it, whichever is worse:
 *
 * | state            | outside maintenance | inside one  |
 * |------------------|---------------------|-------------|
 * | UP               | OPERATIONAL         | MAINTENANCE |
 * | DEGRADED         | DEGRADED            | MAINTENANCE |
 * | DOWN             | MAJOR_OUTAGE        | MAINTENANCE |
 * | PAUSED, PENDING  | nothing is known    | MAINTENANCE |
 *
 * Inside a window failures are expected: no incident opens and the time is left out of uptime, so the page does not cry
 * outage either. A published incident is somebody's word that it is worse than planned, and counts there too. It can make
 * a monitor look worse and never better; null where nothing is known and nothing was published.
 */
export function statusOf({ state, inMaintenance, published }: Shown): OverallStatus | null {
  const found = inMaintenance ? 'MAINTENANCE' : foundBy[state]
  const told = published.filter((status) => status !== 'OPERATIONAL')
  return told.reduce<OverallStatus | null>((worst, status) => (isWorse(status, worst) ? status : worst), found)
}

const foundBy: Readonly<Record<MonitorState, OverallStatus | null>> = {
  UP: 'OPERATIONAL',
  DEGRADED: 'DEGRADED',
  DOWN: 'MAJOR_OUTAGE',
  PAUSED: null,
  PENDING: null,
}

/**
 * How a page stands as a whole; the one answer for page, badge, feeds, JSON and API. The first line that fits counts,
 * over the monitors of which something is known:
 *
 * | all are in MAJOR_OUTAGE                          | MAJOR_OUTAGE   |
 * | one is in MAJOR_OUTAGE, or one in PARTIAL_OUTAGE | PARTIAL_OUTAGE |
 * | one is DEGRADED                                  | DEGRADED       |
 * | one is in MAINTENANCE                            | MAINTENANCE    |
 * | none of these, or nothing is known of any        | OPERATIONAL    |
 */
export function overallOf(monitors: Iterable<Shown>): OverallStatus {
  const known = new Set<OverallStatus>()
  for (const monitor of monitors) {
    const status = statusOf(monitor)
    if (status !== null) known.add(status)
  }
  if (known.has('MAJOR_OUTAGE')) return known.size === 1 ? 'MAJOR_OUTAGE' : 'PARTIAL_OUTAGE'
  return overallStatuses.findLast((status) => known.has(status)) ?? 'OPERATIONAL'
}

function isWorse(a: OverallStatus, b: OverallStatus | null): boolean {
  return b === null || overallStatuses.indexOf(a) > overallStatuses.indexOf(b)
}
