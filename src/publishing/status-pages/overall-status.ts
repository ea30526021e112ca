import type { MonitorState } from '../../monitoring/monitor-states/state.ts'
import type { AffectedStatus } from '../../storage/schema/status-pages.ts'

/** From best to worst. */
export const overallStatuses = ['OPERATIONAL', 'MAINTENANCE', 'DEGRADED', 'PARTIAL_OUTAGE', 'MAJOR_OUTAGE'] as const
export type OverallStatus = (typeof overallStatuses)[number]

/** Everything that the status of a monitor on a page depends on. */
export interface StatusInput {
  readonly state: MonitorState
  /** Whether a maintenance window shown on this page covers the monitor now. */
  readonly inMaintenance: boolean
  /** The statuses that active published incidents of this page give it. */
  readonly published: readonly AffectedStatus[]
}

/**
 * The status of a monitor on a page: the worse of its checks' result and the published incidents.
 *
 * | state            | outside maintenance | inside one  |
 * |------------------|---------------------|-------------|
 * | UP               | OPERATIONAL         | MAINTENANCE |
 * | DEGRADED         | DEGRADED            | MAINTENANCE |
 * | DOWN             | MAJOR_OUTAGE        | MAINTENANCE |
 * | PAUSED, PENDING  | null (unknown)      | MAINTENANCE |
 *
 * During maintenance failures are expected: no incident opens and the time does not count for uptime, so the page shows no
 * outage either. Published incidents still count then. They can only make a status worse, never better.
 */
export function monitorStatus({ state, inMaintenance, published }: StatusInput): OverallStatus | null {
  const checked = inMaintenance ? 'MAINTENANCE' : statusOfState[state]
  return published
    .filter((status) => status !== 'OPERATIONAL')
    .reduce<OverallStatus | null>((worst, status) => (isWorse(status, worst) ? status : worst), checked)
}

const statusOfState: Readonly<Record<MonitorState, OverallStatus | null>> = {
  UP: 'OPERATIONAL',
  DEGRADED: 'DEGRADED',
  DOWN: 'MAJOR_OUTAGE',
  PAUSED: null,
  PENDING: null,
}

/**
 * The overall status of a page. Page, badge, feeds, JSON and API all use this function. Monitors with an unknown status do
 * not count; the first matching row decides:
 *
 * | all are MAJOR_OUTAGE                             | MAJOR_OUTAGE   |
 * | one is MAJOR_OUTAGE or PARTIAL_OUTAGE            | PARTIAL_OUTAGE |
 * | one is DEGRADED                                  | DEGRADED       |
 * | one is MAINTENANCE                               | MAINTENANCE    |
 * | otherwise                                        | OPERATIONAL    |
 */
export function overallStatus(monitors: Iterable<StatusInput>): OverallStatus {
  const known = new Set<OverallStatus>()
  for (const monitor of monitors) {
    const status = monitorStatus(monitor)
    if (status !== null) known.add(status)
  }
  if (known.has('MAJOR_OUTAGE')) return known.size === 1 ? 'MAJOR_OUTAGE' : 'PARTIAL_OUTAGE'
  return overallStatuses.findLast((status) => known.has(status)) ?? 'OPERATIONAL'
}

function isWorse(a: OverallStatus, b: OverallStatus | null): boolean {
  return b === null || overallStatuses.indexOf(a) > overallStatuses.indexOf(b)
}
